"""`lgn train`: train a network, or continue a training."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from lgn.commands.options import Settings, settings_help, with_settings
from lgn.front.run_page import result_of
from lgn.training import Config, Interrupted, Run, preset, train
from lgn.training.config import Task
from lgn.training.presets import PRESETS
from lgn.training.processes import is_first_process

HELP = """Train a linear group network and write a run directory. `lgn analyze RUN` then describes its generators.

Presets: quick (the paper's network, minutes), paper (the settings of the paper), released (those of the authors' code),
stable (for long trainings), net (an equivariant network). Ctrl-C stops a training; --resume RUN continues it. Under
torchrun the same command trains in several processes.
"""


@dataclass(frozen=True)
class TrainOptions:
    """The options of `lgn train`."""

    data: Annotated[str, tyro.conf.Positional] = "digits"
    """A named data set (digits, mnist, cifar10, ...; see `lgn data list`), a folder of images, or an .npz file."""
    preset: Annotated[str, tyro.conf.arg(metavar=f"{{{','.join(PRESETS)}}}")] = "quick"
    """The settings to start from."""
    task: Task = "auto"
    """auto classifies images that have labels and reconstructs others."""
    epochs: int | None = None
    """Number of passes over the training images."""
    group: str | None = None
    """The group of the filter sets, such as C4, D4 or C8."""
    generator: str | None = None
    """The family of the generators, such as dense, orthogonal, cyclic, fixed; free trains filters without a group."""
    seed: int = 0
    """Seed of the training."""
    image_size: int | None = None
    """Resize the images of a folder to this side."""
    data_dir: Path | None = None
    """Directory of the named data sets; by default LGN_DATA."""
    device: str = "auto"
    """cpu, cuda, mps, or auto: the first of cuda, mps and cpu that is available."""
    set: Settings = ()
    """Any other setting, such as --set num_sets=8 --set penalty=none. All settings are listed above."""
    out: Path | None = None
    """The run directory; by default runs/DATA-TASK-PRESET-SEED."""
    resume: Path | None = None
    """Continue this run. It keeps its settings, so no other option can be given."""

    def config(self) -> Config:
        """The settings of the training."""
        names = ("data", "epochs", "group", "generator", "seed", "image_size", "data_dir", "device")
        options: dict[str, Any] = {name: getattr(self, name) for name in names}
        return preset(self.preset, self.task, **with_settings(options, self.set))

    def run(self) -> tuple[Config, Path]:
        """The settings of the training, and the run directory."""
        if self.resume is None:
            name = f"{Path(self.data).stem}-{self.task}-{self.preset}-{self.seed}"
            return self.config(), self.out or Path("runs") / name
        if self != TrainOptions(resume=self.resume):
            raise ValueError("resume must be the only option, since a run keeps its settings, got others too")
        return Run.open(self.resume).config, self.resume


def parse(args: list[str]) -> TrainOptions:
    """The options in the arguments."""
    description = f"{HELP}\n{settings_help(TrainOptions.__dataclass_fields__)}"
    return tyro.cli(TrainOptions, prog="lgn train", description=description, args=args)


def run(args: list[str]) -> int:
    config, out = parse(args).run()
    try:
        trained = train(config, out, progress=True)
    except Interrupted as stop:
        if is_first_process():
            sys.stderr.write(f"{stop}; continue with: lgn train --resume {shlex.quote(str(out))}\n")
        return 130
    if is_first_process():
        print(f"{_result(trained)}\nrun: {trained.path}")
        if config.network.family is not None:
            print(f"next: lgn analyze {shlex.quote(str(trained.path))}")
    return 0


def _result(run: Run) -> str:
    """The measurements of the last epoch, and the step size of each layer divided by its limit."""
    with run.reading("metrics.jsonl", "the metrics of a run"):
        if (result := result_of(run)) is None:
            raise ValueError(f"{run.path} must have metrics.jsonl with a line for every epoch, got none")
        last = run.metrics[-1]
        text = f"{result}, {last['seconds'] / 60:.1f} minutes"
        if conditions := last.get("step_conditions"):
            values = "  ".join(f"{condition:.3g}" for condition in conditions)
            text += f"\nstep * sigma_max per layer (ISTA converges up to 1): {values}"
        return text
