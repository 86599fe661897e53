"""Networks that come with the package: run directories without checkpoints, loaded by name."""

from os import PathLike
from pathlib import Path

import torch
from torch import nn

from lgn.training import Run

DIRECTORY = Path(__file__).parent


def pretrained_names() -> tuple[str, ...]:
    """The names of the networks that come with the package."""
    return tuple(sorted(path.parent.name for path in DIRECTORY.glob("*/config.json")))


def load_pretrained(name: str, *, device: str | torch.device = "cpu") -> nn.Module:
    """A trained network that comes with the package. Nothing is downloaded.

    `find_run(name).prepare(images)` preprocesses images as in its training.
    """
    if name not in pretrained_names():
        raise ValueError(f"name must be one of {', '.join(pretrained_names())}, got {name!r}")
    return Run(DIRECTORY / name).model(device)


def find_run(source: str | PathLike[str] | Run) -> Run:
    """The run of a directory, or of a name that comes with the package.

    A directory without weights whose network comes with the package gives the run in the package.
    """
    if isinstance(source, Run):
        return source
    if (Path(source) / "config.json").is_file():
        run = Run(source)
        if run.finished or not run.trained:
            return run
        # No other training has the same metrics in every epoch.
        packaged = (Run(DIRECTORY / name) for name in pretrained_names())
        return next((candidate for candidate in packaged if candidate.metrics == run.metrics), run)
    if str(source) in pretrained_names():
        return Run(DIRECTORY / source)
    raise FileNotFoundError(
        f"run must be a directory with a config.json or one of {', '.join(pretrained_names())}, got {source}"
    )


def is_pretrained(run: Run) -> bool:
    """Whether a run comes with the package: nothing is written to it."""
    return run.path.resolve().parent == DIRECTORY.resolve()


def place_for(run: Run, name: str) -> Path:
    """The path for a file made from a run: in the run or, if it comes with the package, in the working directory."""
    return Path(f"{run.path.name}.{name}") if is_pretrained(run) else run.path / name
