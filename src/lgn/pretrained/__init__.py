"""Networks that come with the package, as run directories without checkpoints: a name is as good as a directory."""

from os import PathLike
from pathlib import Path

from torch import nn

from lgn.training import Run

DIRECTORY = Path(__file__).parent


def pretrained_names() -> tuple[str, ...]:
    """The networks that come with the package."""
    return tuple(sorted(path.parent.name for path in DIRECTORY.glob("*/config.json")))


def load_pretrained(name: str, device: str | None = None) -> nn.Module:
    """A trained network that comes with the package, ready to use; nothing is downloaded.

    `find_run(name).prepare(images)` prepares images as in its training.
    """
    if name not in pretrained_names():
        raise ValueError(f"name must be one of {', '.join(pretrained_names())}, got {name!r}")
    return Run.open(DIRECTORY / name).model(device)


def find_run(source: str | PathLike[str] | Run) -> Run:
    """A run from its directory, or from the name of one that comes with the package.

    A directory that is kept without its weights, because they are in the package, gives the run there.
    """
    if isinstance(source, Run):
        return source
    if (Path(source) / "config.json").is_file():
        run = Run(Path(source))
        return run if run.finished or not run.trained else _in_the_package(run) or run
    if str(source) in pretrained_names():
        return Run(DIRECTORY / source)
    raise FileNotFoundError(
        f"run must be a directory with a config.json or one of {', '.join(pretrained_names())}, got {source}"
    )


def _in_the_package(run: Run) -> Run | None:
    """The network of the package that a run became: no other training has its numbers, epoch by epoch."""
    metrics = run.metrics
    return next((each for name in pretrained_names() if (each := Run(DIRECTORY / name)).metrics == metrics), None)


def place_for(run: Run, name: str) -> Path:
    """Where a file that is made from a run goes: into the run, or here if it came with the package."""
    return Path(f"{run.path.name}.{name}") if run.path.parent == DIRECTORY else run.path / name
