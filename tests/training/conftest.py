"""One small training that several tests read and none changes."""

import shutil
from pathlib import Path

import pytest
from training.small import small

from lgn.training import Run, train


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A finished classification of digits, 2 epochs of 2 steps."""
    out: Path = tmp_path_factory.mktemp("finished") / "run"
    return train(small(), out)


@pytest.fixture
def copied(finished: Run, tmp_path: Path) -> Run:
    shutil.copytree(finished.path, tmp_path / "run")
    return Run(tmp_path / "run")
