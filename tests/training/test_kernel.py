"""The implementation that computes a run is compiled before the first step and stored in environment.json."""

import json
import shutil
from pathlib import Path

import pytest
from training.small import small

from lgn.nn.kernels.native import compiled
from lgn.training import Run, train
from lgn.warning import LgnWarning


def test_a_run_that_continues_with_another_kernel_warns(
    finished: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(shutil.copytree(finished.path, tmp_path / "run"))
    assert run.environment["kernel"] == ("fast" if compiled.kernels() is None else "native")
    (run.path / "model.safetensors").unlink()  # so that it continues from its last checkpoint
    train(small(), run.path)  # with the same kernel there is no warning: warnings are errors here
    (run.path / "model.safetensors").unlink()
    path = run.path / "environment.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"kernel": "native"}))
    monkeypatch.setenv("LGN_NATIVE", "0")
    with pytest.warns(LgnWarning, match="kernel 'fast'"):
        train(small(), run.path)


@pytest.mark.skipif(compiled.kernels() is None, reason="needs a C compiler and a processor with AVX2")
def test_kernels_are_compiled_once_and_silently_without_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for number, (progress, compiling) in enumerate([(True, 1), (True, 0), (False, 0)]):
        monkeypatch.setattr(compiled, "_loaded", [])  # as in a new process
        train(small(epochs=1), tmp_path / f"run{number}", progress=progress)
        lines = capsys.readouterr().err.splitlines()
        assert sum(line.startswith("compiling the kernels") for line in lines) == compiling
        assert progress or not lines
