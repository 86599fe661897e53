"""Networks that come with the package: they are the runs that they were made from, and nothing is written to them."""

import json
import shutil
from pathlib import Path
from types import ModuleType

import pytest
import torch
from tool import load_tool
from training.small import small

import lgn
from lgn.cli import main
from lgn.data.named import locate
from lgn.pretrained import DIRECTORY, find_run
from lgn.training import Run, load_data, train
from lgn.training.objective import task_score

RESULTS = Path(__file__).parents[1] / "results"
NAMES = lgn.pretrained_names()
each_name = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    """tools/make_pretrained.py"""
    return load_tool("make_pretrained")


@pytest.mark.slow
@each_name
def test_the_recorded_result_is_that_of_real_images(name: str, data_dir: Path) -> None:
    run = find_run(name)
    if locate(lgn.data.NAMED_SETS[run.config.data], [data_dir]) is None:
        pytest.skip(f"needs LGN_DATA with {run.config.data}")
    count = 1_000
    test = load_data(run.config).test
    images, labels = run.prepare(test.samples[:count]), None if test.labels is None else test.labels[:count]
    with torch.no_grad():
        quality = float(task_score(lgn.load_pretrained(name), images, labels)[1]) / count
    last = run.metrics[-1]
    if "test_accuracy" in last:
        recorded = last["test_accuracy"]
        # The whole test set gave the recorded one; a thousand images scatter around it.
        assert quality == pytest.approx(recorded, abs=4 * (recorded * (1 - recorded) / count) ** 0.5)
    else:
        assert quality == pytest.approx(last["test_error"], rel=0.1)


@each_name
def test_it_holds_no_path_and_no_checkpoint(name: str) -> None:
    run = find_run(name)
    assert run.finished
    kept = {"config.json", "environment.json", "metrics.jsonl", "model.safetensors", "best.safetensors"}
    assert {path.name for path in run.path.iterdir()} <= kept
    assert run.config.data_dir is None
    assert not any(word.startswith("/") for word in json.loads((run.path / "environment.json").read_text())["command"])
    assert sum(path.stat().st_size for path in run.path.iterdir()) < 1_000_000
    assert {name for name in run.initial() if name.endswith(".matrix")}


def test_a_shipped_run_gives_the_outputs_of_its_own_model(tool: ModuleType, tmp_path: Path) -> None:
    run = train(small(validation=0.2, data_dir=tmp_path), tmp_path / "run")
    shipped = Run.open(tool.ship(run, "name", tmp_path / "package"))
    images = torch.randn(3, 1, 28, 28)
    with torch.no_grad():
        assert torch.equal(shipped.model()(images), run.model()(images))
    assert shipped.metrics == run.metrics
    assert shipped.config.data_dir is None
    assert str(tmp_path) not in "".join(path.read_text() for path in shipped.path.glob("*.json"))
    (run.path / "model.safetensors").unlink()
    with pytest.raises(ValueError, match="run must be finished"):
        tool.ship(run, "name", tmp_path / "package")


def test_weights_are_stored_once() -> None:
    stored = [path for folder in (DIRECTORY, RESULTS) for path in folder.rglob("model.safetensors")]
    contents = [path.read_bytes() for path in stored]
    assert len(set(contents)) == len(contents)


def test_a_run_that_is_kept_without_its_weights_is_found_in_the_package(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    shutil.copytree(DIRECTORY / NAMES[0], kept, ignore=shutil.ignore_patterns("*.safetensors"))
    assert find_run(kept).path == DIRECTORY / NAMES[0]
    metrics = kept / "metrics.jsonl"
    metrics.write_text(metrics.read_text().replace("0.", "0.1", 1))  # another training
    assert find_run(kept).path == kept


def test_commands_take_a_name_and_write_beside_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "mnist-classification"  # on grey images: analysed in a third of the time
    monkeypatch.chdir(tmp_path)
    before = sorted(DIRECTORY.rglob("[!_]*"))
    assert main(["analyze", name, "--draws", "20"]) == 0
    assert main(["report", name]) == 0
    assert main(["export", name, "--format", "safetensors"]) == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        f"{name}.analysis.json", f"{name}.report.html", f"{name}.merged.safetensors",
    }  # fmt: skip
    assert sorted(DIRECTORY.rglob("[!_]*")) == before


def test_a_directory_goes_before_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = train(small(epochs=1), tmp_path / NAMES[0])
    assert len(find_run(NAMES[0]).metrics) == len(run.metrics) == 1


def test_a_wrong_name_is_answered_with_the_right_ones() -> None:
    with pytest.raises(ValueError, match=f"name must be one of .*{NAMES[0]}.*, got 'mnist'"):
        lgn.load_pretrained("mnist")
    with pytest.raises(FileNotFoundError, match=f"run must be a directory with a config.json or one of .*{NAMES[0]}"):
        lgn.load("mnist")
