"""`lgn build`: train a network that respects the symmetries of images."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from lgn.commands.options import DataDir, Device, ImageSize, run_directory
from lgn.deploy.building import build
from lgn.training import Interrupted


@dataclass(frozen=True)
class Options:
    """Find the symmetries of images and their classes, and train a network with them.

    A network with free filters and as many parameters is trained too. Both are compared on test images, and the
    recommended one is exported. The same command continues a build that was stopped. `lgn predict RUN IMAGES` uses the
    network.
    """

    data: Annotated[str, tyro.conf.Positional] = "digits"
    """A named data set, a folder of images with a subfolder per class, or an .npz file."""
    parameters: int = 25_000
    """Largest number of parameters of a network."""
    epochs: int = 24
    """Number of passes over the training images."""
    group: str | None = None
    """The group of turns and flips, such as C8 or D4. By default the symmetries are found."""
    found: Path | None = None
    """The answer of `lgn discover`: its directory, or a .json file. By default the symmetries are found."""
    candidates: str | None = None
    """Transformations, separated by commas, such as turns,flips,angles,tilts."""
    train_images: int | None = None
    """Use only this number of training images, evenly over the classes."""
    image_size: ImageSize = None
    data_dir: DataDir = None
    augment: bool = False
    """Turn every training image by a random angle in each step."""
    device: Device = "auto"
    seed: int = 0
    """Seed of the build."""
    out: Path | None = None
    """Directory of the run. The default is runs/DATA-build-SEED."""


def run(options: Options) -> int:
    out = options.out or run_directory(options.data, "build", options.seed)
    try:
        built = build(**{**vars(options), "out": out}, progress=True)
    except Interrupted as stop:
        sys.stderr.write(f"{stop}\n")
        return 130
    if built.answer is not None:
        print(f"{built.answer}\n")
    print(f"{built}\n\nrun: {built.recommended.run}")
    if built.exported is not None:
        print(f"onnx: {built.exported}")
    return 0
