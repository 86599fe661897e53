"""README and docs: commands parse, snippets name what exists, links lead somewhere, the reference is up to date."""

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
from tyro.extras import subcommand_cli_from_dict

from lgn.cli import COMMANDS
from lgn.commands import data, sweep, train

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *(page for where in ("", "evidence/") for page in sorted(ROOT.glob(f"docs/{where}*.md")))]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.M | re.S)
each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


def blocks(page: Path, *languages: str) -> list[str]:
    return [body for language, body in FENCE.findall(page.read_text()) if language in languages]


def commands(page: Path) -> Iterator[tuple[list[str], str]]:
    """Every command as words, with the block that it is in; what follows # is for people."""
    for block in blocks(page, "console", "sh", "bash"):
        is_session = any(line.startswith("$ ") for line in block.splitlines())
        for line in block.replace("\\\n", " ").splitlines():
            if line.startswith("$ ") or (not is_session and line.strip() and not line.startswith("#")):
                words = shlex.split(line.removeprefix("$ "), comments=True)
                yield [word.removeprefix(".venv/bin/") for word in words], block


@each_page
def test_commands(page: Path) -> None:
    for words, block in commands(page):
        while words and re.fullmatch(r"[A-Z_]+=\S*", words[0]):  # variables of the environment
            words = words[1:]
        if "lgn" in words[:1]:
            check_lgn(words[1:])
        elif words[0] == "make":
            assert re.search(rf"^{words[1]}:", (ROOT / "Makefile").read_text(), re.M), words
        elif words[0] == "python":
            check_python(words[1:])
        elif words[:2] == ["pip", "install"]:
            check_extras(words[2:])
        elif words[0] == "torchrun":
            check_python(words[words.index("-m") :])
        else:
            assert block.startswith("# needs: "), f"{page.name}: say what {words[0]} needs"
            if "lgn" in words:
                check_lgn(words[words.index("lgn") + 1 :])


def check_python(words: list[str]) -> None:
    if words[:2] == ["-m", "lgn"]:
        check_lgn(words[2:])
    elif words[0] != "-m":
        assert (ROOT / words[0]).is_file(), words


def check_extras(words: list[str]) -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    for named in re.findall(r"lgn\[([\w,-]+)\]", " ".join(words)):
        assert set(named.split(",")) <= set(extras), words


class Parsed(Exception):
    """The arguments are good; nothing was done with them."""


def check_lgn(words: list[str]) -> None:
    """Parse the arguments of a command as it would, and stop there."""
    name, args = words[0], words[1:]
    if name.startswith("--"):
        return
    assert name in COMMANDS, name
    if name == "train" and "--resume" not in args:
        train.parse(args).config()
    elif name == "sweep":
        sweep.parse(args).configs()
    elif name == "data":
        parts = {"list": data.list_sets, "get": data.get, "verify": data.verify}
        subcommand_cli_from_dict({word: idle(function) for word, function in parts.items()}, args=args)
    else:
        command = importlib.import_module(f"lgn.commands.{name}")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tyro, "cli", functools.partial(only_parse, tyro.cli))
            with pytest.raises(Parsed):
                command.run(args)


def only_parse(cli: Any, function: Any, **options: Any) -> None:
    cli(idle(function), **options)
    raise Parsed


def idle(function: Any) -> Any:
    """The same arguments, and nothing done with them."""

    @functools.wraps(function)
    def nothing(*args: Any, **keywords: Any) -> None: ...

    return nothing


def test_a_wrong_argument_would_be_seen() -> None:
    for line in ("train --epoch 3", "analyze run --draw 5", "export run --format zip", "sweep --seeds x", "data gte a"):
        with pytest.raises((SystemExit, ValueError)):
            check_lgn(line.split())


@each_page
def test_snippets_name_what_exists(page: Path) -> None:
    for snippet in blocks(page, "python"):
        for node in ast.walk(ast.parse(snippet)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "lgn":
                module = importlib.import_module(str(node.module))
                assert all(hasattr(module, alias.name) for alias in node.names), ast.unparse(node)
            if isinstance(node, ast.Attribute) and ast.unparse(node).startswith("lgn."):
                resolve(ast.unparse(node))


def test_the_lightning_module_trains_the_inverses_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The snippet with the least of Lightning that it needs, which is not a dependency: a module, and two calls."""

    class LightningModule(nn.Module):
        def save_hyperparameters(self) -> None: ...

        def log_dict(self, values: dict[str, Tensor]) -> None: ...

    monkeypatch.setitem(sys.modules, "lightning", SimpleNamespace(LightningModule=LightningModule))
    cells: dict[str, Any] = {}
    exec(blocks(ROOT / "docs" / "lightning.md", "python")[0], cells)
    module = cells["GroupClassifier"]()
    optimizer = module.configure_optimizers()
    loss = module.training_step((torch.randn(2, 1, 28, 28), torch.tensor([0, 1])), 0)
    loss.backward()
    trained = {id(parameter) for group in optimizer.param_groups for parameter in group["params"]}
    assert {id(parameter) for parameter in module.parameters()} == trained
    inverses = list(module.penalty.parameters())
    assert inverses
    assert all(id(inverse) in trained and inverse.grad is not None for inverse in inverses)
    module.on_train_end()


def test_functions_named_in_the_text_exist() -> None:
    """`lgn.something` in backquotes, on every page."""
    for page in PAGES:
        text = FENCE.sub("", page.read_text())
        for dotted in re.findall(r"`(lgn(?:\.\w+)+)\b[^`/]*`", text):
            resolve(dotted)


def resolve(dotted: str) -> None:
    if not re.fullmatch(r"lgn(\.\w+)*", dotted):
        return  # a call within: its parts are visited on their own
    value: Any = importlib.import_module("lgn")
    path = "lgn"
    for part in dotted.split(".")[1:]:
        path += f".{part}"
        value = getattr(value, part) if hasattr(value, part) else importlib.import_module(path)


@each_page
def test_links_lead_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text())
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors(linked), f"{page.name}: {target}"


def anchors(page: Path) -> set[str]:
    """Headings as GitHub turns them into anchors."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", page.read_text()), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_every_page_can_be_found() -> None:
    """The index, and through it the README, leads to each."""
    index = (ROOT / "docs" / "index.md").read_text()
    names = [page.relative_to(ROOT / "docs").as_posix() for page in PAGES[1:]]
    assert [name for name in names if name != "index.md" and f"({name})" not in index] == []


def test_the_reference_is_what_the_docstrings_say() -> None:
    done = subprocess.run([sys.executable, ROOT / "tools" / "make_api.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
