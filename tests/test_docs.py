"""README and docs: commands parse, snippets use names that exist, links lead somewhere, the API page is up to date."""

import ast
import functools
import importlib
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
import tyro
from torch import Tensor, nn

import lgn
from lgn.cli import COMMANDS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]
GUIDE = ROOT / "docs" / "guide"
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
on_every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


def blocks(page: Path, *languages: str) -> list[str]:
    return [body for language, body in FENCE.findall(page.read_text()) if language in languages]


def commands(page: Path) -> Iterator[tuple[list[str], str]]:
    """Every command, split into its arguments, and the block that contains it."""
    for block in blocks(page, "console", "sh", "bash"):
        is_session = any(line.startswith("$ ") for line in block.splitlines())
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ ") or (not is_session and line.strip() and not line.startswith("#")):
                yield shlex.split(line.removeprefix("$ ").replace(".venv/bin/", ""), comments=True), block


@on_every_page
def test_commands_parse(page: Path) -> None:
    for arguments, block in commands(page):
        if block.startswith("# needs: "):
            arguments = arguments[arguments.index("lgn") :] if "lgn" in arguments else []
        check_command(arguments)


def check_command(arguments: list[str]) -> None:
    match arguments:
        case ["lgn", *rest] | ["python", "-m", "lgn", *rest]:
            check_lgn(rest)
        case ["torchrun", *_]:
            check_command(["python", *arguments[arguments.index("-m") :]])
        case ["make", target, *_]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.M), arguments
        case ["python", "-m", module, *_]:
            assert importlib.util.find_spec(module) is not None, arguments
        case ["python", script, *_]:
            assert (ROOT / script).is_file(), arguments
        case ["pip", "install", *names]:
            extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
            for listed in re.findall(r"lgn\[([\w,-]+)\]", " ".join(names)):
                assert set(listed.split(",")) <= set(extras), arguments
        case []:
            pass
        case _:
            pytest.fail(f"a block with {arguments[0]} must begin with '# needs: '")


def check_lgn(arguments: list[str]) -> None:
    """Parse the arguments as the command would, without running it."""
    name, rest = (arguments or ["--help"])[0], arguments[1:]
    if name.startswith("--"):
        return
    assert name in COMMANDS, name
    command: Any = importlib.import_module(f"lgn.commands.{name}_command")
    if not hasattr(command, "Options"):
        tyro.cli(without_effect(command.run), args=rest)
        return
    options = tyro.cli(command.Options, args=rest)
    if name == "sweep":
        options.configs()
    if name == "train" and options.resume is None:
        options.config()


def without_effect(function: Any) -> Any:
    """A function with the same arguments that does nothing."""

    @functools.wraps(function)
    def nothing(*args: Any, **keywords: Any) -> None: ...

    return nothing


@pytest.mark.parametrize("line", ["train --epoch 3", "analyze run --draw 5", "export run --format zip", "data gte a"])
def test_a_wrong_argument_is_noticed(line: str) -> None:
    with pytest.raises((SystemExit, ValueError)):
        check_lgn(line.split())


@on_every_page
def test_names_exist(page: Path) -> None:
    """Everything that begins with `lgn.` in code and in backquotes."""
    for dotted in re.findall(r"`(lgn(?:\.\w+)+)\b[^`/]*`", FENCE.sub("", page.read_text())):
        resolve(dotted)
    for snippet in blocks(page, "python"):
        for node in ast.walk(ast.parse(snippet)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "lgn":
                for alias in node.names:
                    resolve(f"{node.module}.{alias.name}")
            if isinstance(node, ast.Attribute) and re.fullmatch(r"lgn(\.\w+)+", ast.unparse(node)):
                resolve(ast.unparse(node))


def resolve(dotted: str) -> None:
    value: Any = lgn
    path = "lgn"
    for part in dotted.split(".")[1:]:
        path += f".{part}"
        value = getattr(value, part) if hasattr(value, part) else importlib.import_module(path)


@on_every_page
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", page.read_text())):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked), target


def anchors(page: Path) -> set[str]:
    """Headings as GitHub turns them into anchors."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_index_lists_every_page() -> None:
    index = ROOT / "docs" / "index.md"
    linked = {(index.parent / path).resolve() for path in re.findall(r"\]\(([^)#\s]+)\)", index.read_text())}
    pages = {page for page in PAGES if page.parent.name in ("guide", "evidence") and page.name != "index.md"}
    assert pages <= linked


def test_the_files_of_contributing_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text()
    files = [name for name in re.findall(r"`([\w/]+\.py)`", text) if "NAME" not in name]
    assert files
    assert [name for name in files if not any((base / name).is_file() for base in (ROOT, ROOT / "src" / "lgn"))] == []


def test_the_guide_is_short() -> None:
    assert sum(len(page.read_text().split()) for page in GUIDE.glob("*.md")) <= 20_000


def test_images_are_used() -> None:
    text = "".join(page.read_text() for page in PAGES)
    assert [image.name for image in (ROOT / "docs" / "images").iterdir() if f"images/{image.name}" not in text] == []


def test_the_lightning_module_trains_the_inverses_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lightning is not installed: the snippet runs with a module that has the two methods it needs."""

    class LightningModule(nn.Module):
        def save_hyperparameters(self) -> None: ...

        def log_dict(self, values: dict[str, Tensor]) -> None: ...

    monkeypatch.setitem(sys.modules, "lightning", SimpleNamespace(LightningModule=LightningModule))
    names: dict[str, Any] = {}
    exec(next(body for body in blocks(GUIDE / "training.md", "python") if "lightning" in body), names)
    module = names["GroupClassifier"]()
    optimizer = module.configure_optimizers()
    module.training_step((torch.randn(2, 1, 28, 28), torch.tensor([0, 1])), 0).backward()
    trained = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    inverses = list(module.penalty.parameters())
    assert inverses
    assert all(id(inverse) in trained and inverse.grad is not None for inverse in inverses)
    module.on_train_end()


def test_the_api_page_is_up_to_date_and_lists_every_name() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "make_api.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    api = (ROOT / "docs" / "api.md").read_text()
    assert [name for name in lgn.__all__ if not name.startswith("_") and f"`{name}" not in api] == []
