"""The environment of a training: versions, machine, command, and the commit of this package's source."""

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch

from lgn.training.config import Config
from lgn.version import __version__


def environment(config: Config, kernel: str) -> dict[str, Any]:
    """The contents of environment.json."""
    return {
        "lgn": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "threads": torch.get_num_threads(),
        "device": config.device,
        "seed": config.seed,
        "commit": source_commit(Path(__file__).resolve().parents[1]),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
        "kernel": kernel,
    }


def source_commit(package: Path) -> str | None:
    """The commit of the git repository that tracks a package's source; None without one.

    A repository that contains the package but does not track it, as with a virtual environment inside, does not count.
    """
    if _git(package, "ls-files", "--error-unmatch", "--", "__init__.py") is None:
        return None
    return _git(package, "rev-parse", "--verify", "HEAD")


def _git(directory: Path, *arguments: str) -> str | None:
    # Inside a hook, git's own variables name a repository other than that of the directory.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", *arguments], cwd=directory, env=variables, capture_output=True, text=True, check=False, timeout=10
        )
    except (OSError, subprocess.SubprocessError):  # no git, or it does not end
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
