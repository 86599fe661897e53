"""What a training ran in: versions, machine, seed, command, and the commit of this package's own source."""

import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import torch

from lgn.training.config import Config
from lgn.version import __version__

PACKAGE = Path(__file__).resolve().parents[1]


def environment(config: Config) -> dict[str, Any]:
    """What `environment.json` of a run holds."""
    return {
        "lgn": __version__,
        "torch": torch.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "threads": torch.get_num_threads(),
        "device": config.device,
        "seed": config.seed,
        "commit": source_commit(PACKAGE),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
    }


def source_commit(package: Path) -> str | None:
    """The commit of the repository that tracks a package's source; None where there is none, or no git.

    A repository that only encloses the package, as one does that has an environment inside, says nothing about it.
    """
    if _git(package, "ls-files", "--error-unmatch", "--", "__init__.py") is None:
        return None
    return _git(package, "rev-parse", "--verify", "HEAD")


def _git(directory: Path, *words: str) -> str | None:
    # Inside a hook, git's own variables name another repository than the one that the directory lies in.
    variables = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(
            ["git", *words], cwd=directory, env=variables, capture_output=True, text=True, check=False, timeout=10
        )
    except (OSError, subprocess.SubprocessError):  # no git, or one that hangs: a commit is not worth a training
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
