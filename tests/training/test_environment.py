"""The environment of a run: the commit of the source of the package."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from forked import start
from training.small import SMALL_WORDS

from lgn.training.environment import source_commit

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(directory: Path, *arguments: str) -> str:
    user = ["-c", "user.name=someone", "-c", "user.email=someone@example.org"]
    done = subprocess.run(["git", *user, *arguments], cwd=directory, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a tracked package and with an installed package that is not tracked."""
    for name in ("src/own", "environment/site-packages/foreign"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "__init__.py").write_text("")
    git(tmp_path, "init")
    git(tmp_path, "add", "src")
    git(tmp_path, "commit", "-m", "first")
    return tmp_path


@needs_git
def test_the_commit_is_that_of_the_repository_that_tracks_the_package(repository: Path) -> None:
    assert source_commit(repository / "src" / "own") == git(repository, "rev-parse", "HEAD")
    assert source_commit(repository / "environment" / "site-packages" / "foreign") is None


@needs_git
def test_variables_of_another_repository_are_ignored(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Variables as git sets them inside a hook."""
    expected = git(repository, "rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(repository / "elsewhere"))
    assert source_commit(repository / "src" / "own") == expected


def test_it_trains_without_git(tmp_path: Path) -> None:
    """A machine without any programs on its path."""
    out = tmp_path / "run"
    words = ["train", "digits", *SMALL_WORDS, "--epochs", "1", "--out", str(out)]
    process = start("lgn.cli", words, {"PATH": str(tmp_path)})
    output = process.communicate()
    assert process.returncode == 0, output
    assert json.loads((out / "environment.json").read_text())["commit"] is None


def test_it_imports_and_locks_without_fcntl(tmp_path: Path) -> None:
    """As on Windows, which does not have the module."""
    program = (
        "import sys; sys.modules['fcntl'] = None\n"
        "import lgn; from pathlib import Path; from lgn.training.lock import locked\n"
        "with locked(Path(sys.argv[1])):\n"
        "    try:\n"
        "        with locked(Path(sys.argv[1])): print('twice')\n"
        "    except ValueError as refusal: print(refusal)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "run")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == f"out must not be in use, {tmp_path / 'run'} is being trained by another process\n"
