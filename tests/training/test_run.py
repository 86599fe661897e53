"""The run directory: its files, its lock, and that reading it runs no code."""

import json
import os
import pickle
import time
from pathlib import Path
from typing import Any

import pytest
import torch
from forked import start
from training.small import equal, small, weights

import lgn
from lgn.training import Run, load_images, snapshot, train
from lgn.training.lock import locked


def test_it_holds_all_files(finished: Run) -> None:
    visible = {entry.name for entry in finished.path.iterdir() if not entry.name.startswith(".")}
    assert visible == {
        "config.json",
        "environment.json",
        "metrics.jsonl",
        "initial.safetensors",
        "model.safetensors",
        "checkpoint.pt",
    }
    assert finished.config == small()
    environment = json.loads((finished.path / "environment.json").read_text())
    assert {"schema", "lgn", "torch", "python", "device", "seed", "commit"} <= environment.keys()
    assert environment["torch"] == torch.__version__
    assert finished.facts.image_shape == (1, 28, 28)
    assert len(finished.facts.class_names) == 10
    assert repr(finished) == f"Run({str(finished.path)!r}, {len(finished.metrics)} epochs, finished)"


def test_the_initial_file_is_the_network_before_the_first_step(finished: Run) -> None:
    torch.manual_seed(0)
    fresh = snapshot(lgn.training.build_model(small(), (1, 28, 28), 10, "classify"))
    assert equal(finished.initial(), fresh)
    assert not equal(finished.initial(), snapshot(finished.model()))


def test_an_initial_file_that_is_missing_is_made_from_the_seed(copied: Run) -> None:
    stored, state = copied.initial(), torch.get_rng_state()
    (copied.path / "initial.safetensors").unlink()
    assert equal(copied.initial(), stored)
    assert torch.equal(torch.get_rng_state(), state)


def test_the_loaded_model_gives_the_outputs_of_the_trained_one(finished: Run) -> None:
    """From the final weights and from the checkpoint, by the run and by `lgn.load`."""
    model = lgn.load(finished.path)
    assert not model.training
    images = load_images(finished.config)
    x, labels = images.batch("test", torch.arange(1000), torch.device("cpu"))
    with torch.no_grad():
        output = model(x)
        assert torch.equal(finished.model()(x), output)
        of_checkpoint = finished.model()
        of_checkpoint.load_state_dict(finished.checkpoint()["model"])
        assert torch.equal(of_checkpoint(x), output)
    assert finished.metrics[-1]["test_accuracy"] == pytest.approx(float((output.argmax(1) == labels).double().mean()))


def test_an_interrupted_run_gives_the_model_of_its_checkpoint(copied: Run) -> None:
    expected = copied.model().state_dict()
    (copied.path / "model.safetensors").unlink()
    assert equal(dict(copied.model().state_dict()), dict(expected))
    (copied.path / "checkpoint.pt").unlink()
    with pytest.raises(FileNotFoundError, match="checkpoint"):
        copied.model()


class Malicious:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("name", ["checkpoint.pt", "model.safetensors", "initial.safetensors"])
@pytest.mark.parametrize("archive", [False, True], ids=["pickle", "torch archive"])
def test_reading_a_run_runs_no_code(copied: Run, tmp_path: Path, name: str, archive: bool) -> None:
    mark = tmp_path / "code_was_run"
    evil = {"model": Malicious(mark)}
    if archive:
        torch.save(evil, copied.path / name)
    else:
        (copied.path / name).write_bytes(pickle.dumps(evil, protocol=2))  # torch warns of others
    if name == "checkpoint.pt":
        (copied.path / "model.safetensors").unlink()
    read = copied.initial if name == "initial.safetensors" else copied.model
    with pytest.raises(ValueError, match=name):
        read()
    assert not mark.exists()
    pickle.loads(pickle.dumps(evil))  # it is malicious indeed
    assert mark.exists()


def test_a_finished_run_is_returned_unchanged(copied: Run) -> None:
    before = {entry.name: entry.stat().st_mtime_ns for entry in copied.path.iterdir() if entry.name != ".lock"}
    again = train(small(), copied.path)
    assert again.path == copied.path
    assert {e.name: e.stat().st_mtime_ns for e in copied.path.iterdir() if e.name != ".lock"} == before


def test_other_settings_are_refused_by_name_and_incidental_ones_are_not(copied: Run) -> None:
    before = weights(copied)
    with pytest.raises(ValueError, match="seed 0 instead of 1, num_sets 2 instead of 3"):
        train(small(seed=1, num_sets=3), copied.path)
    assert equal(weights(copied), before)
    train(small(checkpoint_seconds=1.0), copied.path)


def test_a_directory_that_is_no_run_is_left_untouched(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(ValueError, match="out must"):
        train(small(), tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["letter.txt"]
    with pytest.raises(ValueError, match="out must"):
        train(small(), tmp_path / "letter.txt")
    with pytest.raises(FileNotFoundError, match="run must"):
        Run.open(tmp_path)


@pytest.mark.parametrize(
    "changes", [{"group": "C1"}, {"kernel_size": 40}, {"data": "no such set"}, {"device": "abacus"}]
)
def test_wrong_settings_leave_no_directory(changes: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        train(small(**changes), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_directory_in_use_by_another_process_is_refused(copied: Run) -> None:
    (copied.path / "model.safetensors").unlink()
    holder, held = start("training.holder", [str(copied.path)]), Path(f"{copied.path}.held")
    try:
        while not held.is_file():
            assert holder.poll() is None
            time.sleep(0.01)
        with pytest.raises(ValueError, match="out must not be in use"):
            train(small(), copied.path)
    finally:
        holder.kill()
        holder.wait()
    train(small(), copied.path)  # the lock went with its holder


def test_incomplete_files_of_a_killed_process_are_removed(copied: Run) -> None:
    (copied.path / ".checkpoint.pt.abc.part").write_bytes(b"half")
    with locked(copied.path):
        pass
    assert not list(copied.path.glob(".*.part"))


def test_a_run_whose_process_was_killed_at_once_is_continued(tmp_path: Path) -> None:
    """A directory with environment.json only, as after a kill before config.json was written."""
    (tmp_path / "environment.json").write_text("{}")
    assert train(small(epochs=1), tmp_path).finished
