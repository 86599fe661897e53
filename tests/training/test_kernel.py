"""What computes a run is made before the first step, written down, and not changed without a word."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from training.small import small

from lgn.nn.kernels.native import compiled
from lgn.training import Run, load_images, train
from lgn.training.kernel import kernel_of
from lgn.training.loop import network_of
from lgn.training.processes import Processes

ALONE = Processes(0, 1, torch.device("cpu"))


@pytest.mark.parametrize(
    ("changes", "kernel"),
    [
        ({"kernel_size": 12}, "fast"),  # beyond what the native one is made for
        ({"name": "net", "num_sets": 5}, "plain"),
    ],
    ids=str,
)
def test_the_kernel_follows_from_the_config(changes: dict[str, object], kernel: str) -> None:
    config = small(**changes)
    images = load_images(config)
    assert kernel_of(network_of(config, images), ALONE, images, progress=False) == kernel


def test_a_run_says_what_computed_it_and_another_is_said(
    finished: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(finished.path, tmp_path / "run")
    run = Run(tmp_path / "run")
    path = run.path / "environment.json"
    environment = json.loads(path.read_text())
    assert environment["kernel"] == ("fast" if compiled.kernels() is None else "native")
    (run.path / "model.safetensors").unlink()  # so that it is continued, from its last checkpoint
    train(small(), run.path, progress=False)  # with the same kernel, without a word: warnings are errors here
    (run.path / "model.safetensors").unlink()
    path.write_text(json.dumps(environment | {"kernel": "native"}))
    monkeypatch.setenv("LGN_NATIVE", "0")
    with pytest.warns(UserWarning, match="was begun with the kernel 'native' and continues with 'fast'"):
        train(small(), run.path, progress=False)
    train(small(), run.path, progress=False)  # now it has finished, and nothing is computed


@pytest.mark.skipif(compiled.kernels() is None, reason="needs a C compiler and a processor with AVX2")
def test_kernels_are_compiled_as_training_starts_and_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for said in (1, 0):
        monkeypatch.setattr(compiled, "_loaded", [])  # as in a new process
        train(small(epochs=1), tmp_path / f"run{said}")
        lines = capsys.readouterr().err.splitlines()
        assert [line.startswith("compiling the kernels with") for line in lines].count(True) == said
        assert said == 0 or lines[0].startswith("compiling")
