"""`lgn build`: the network that the symmetries of images ask for, trained, compared and exported."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from lgn.deploy.build import Question, build
from lgn.front.sources import progress_line
from lgn.training import Interrupted, preset

HELP = """Find the symmetries of images, build the network that keeps them, train it beside the same network with free
filters and as many parameters, compare both on test images, and leave a run with an export.

DATA is a named set, a folder of images with a subfolder per class, or an .npz file with `images` and `labels`. A build
that was stopped goes on with the same command, or with --resume. `lgn predict RUN IMAGES` uses what was built."""


@dataclass(frozen=True)
class BuildOptions:
    """What a network is built for, and how."""

    data: Annotated[str, tyro.conf.Positional] = "digits"
    """A named set, a folder of images with a subfolder per class, or an .npz file."""
    parameters: int = 25_000
    """The most numbers that the network may have."""
    epochs: int = 24
    """Passes over the training images."""
    group: str | None = None
    """Take this group of turns and flips, such as C8 or D4, and ask nothing."""
    symmetries: Path | None = None
    """Take what this directory of an `lgn discover` or `lgn build` found."""
    out: Path | None = None
    """Where to leave the run; None is runs/DATA-build-SEED."""
    resume: Path | None = None
    """Continue this build, which was stopped. It keeps its settings, so no other can be given."""
    train_images: int | None = None
    """Use only this many training images, evenly over the classes."""
    image_size: int | None = None
    """Side to which images of a folder are resized."""
    data_dir: Path | None = None
    """Where named sets lie (or LGN_DATA)."""
    augment: bool = False
    """Turn each image by an angle of its own before a step shows it."""
    seed: int = 0
    """Everything random comes from it."""

    def question(self) -> tuple[Question, Path]:
        if self.resume is not None:
            if self != BuildOptions(resume=self.resume):
                raise ValueError("resume must stand alone, since a build keeps its settings, got others too")
            return Question.load(self.resume), self.resume
        if self.group is not None and self.symmetries is not None:
            raise ValueError("group must be given without symmetries, which say it")
        config = preset(
            "net",
            "classify",
            data=self.data,
            parameters=self.parameters,
            epochs=self.epochs,
            train_images=self.train_images,
            image_size=self.image_size,
            data_dir=self.data_dir,
            augment="turns" if self.augment else "none",
            seed=self.seed,
        )
        out = self.out or Path("runs") / f"{Path(self.data).stem}-build-{self.seed}"
        return Question(config, self.group, self.symmetries), out


def run(args: list[str]) -> int:
    options = tyro.cli(BuildOptions, prog="lgn build", description=HELP, args=args)
    question, out = options.question()
    try:
        with progress_line(True) as say:
            built = build(question, out, progress=say)
    except Interrupted as interruption:
        sys.stderr.write(f"{interruption}\n")
        return 130
    if built.found is not None:
        print(f"{built.found.sentence}\n")
    print(built)
    print(f"\nrun:  {built.networks[0].run.path}")
    if built.exported is not None:
        print(f"onnx: {built.exported}")
    return 0
