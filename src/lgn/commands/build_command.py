"""`lgn build`: train a network that respects the symmetries of images."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from lgn.commands.options import names_of
from lgn.deploy.building import build
from lgn.training import Interrupted

HELP = """Find the symmetries of training images and their classes, train a network with them and a network with free
filters and as many parameters, compare both on test images, and export the recommended one. The same command continues
a build that was stopped. `lgn predict RUN IMAGES` uses the network."""


@dataclass(frozen=True)
class BuildOptions:
    """The options of `lgn build`."""

    data: Annotated[str, tyro.conf.Positional] = "digits"
    """A named data set, a folder of images with a subfolder per class, or an .npz file."""
    parameters: int = 25_000
    """Largest number of parameters of a network."""
    epochs: int = 24
    """Number of passes over the training images."""
    group: str | None = None
    """The group of turns and flips, such as C8 or D4. By default the symmetries are found."""
    found: Path | None = None
    """The answer of `lgn discover`: its directory, or a .json file. By default the training images are asked."""
    candidates: str | None = None
    """Transformations, separated by commas, such as turns,flips,angles,tilts."""
    train_images: int | None = None
    """Use only this number of training images, evenly over the classes."""
    image_size: int | None = None
    """Resize the images of a folder to this side."""
    data_dir: Path | None = None
    """Directory of the named data sets. The default is LGN_DATA."""
    augment: bool = False
    """Turn every training image by a random angle in each step."""
    device: str = "auto"
    """cpu, cuda, mps, or auto: the first of cuda, mps and cpu that is available."""
    seed: int = 0
    """Seed of the build."""
    out: Path | None = None
    """Directory of the run. The default is runs/DATA-build-SEED."""


def run(args: list[str]) -> int:
    options = tyro.cli(BuildOptions, prog="lgn build", description=HELP, args=args)
    keywords: dict[str, Any] = {**vars(options), "candidates": names_of("candidates", options.candidates)}
    keywords["out"] = options.out or Path("runs") / f"{Path(options.data).stem}-build-{options.seed}"
    try:
        built = build(**keywords, progress=True)
    except Interrupted as stop:
        sys.stderr.write(f"{stop}\n")
        return 130
    if built.answer is not None:
        print(f"{built.answer}\n")
    print(f"{built}\n\nrun: {built.recommended.run}")
    if built.exported is not None:
        print(f"onnx: {built.exported}")
    return 0
