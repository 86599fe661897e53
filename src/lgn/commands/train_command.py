"""`lgn train`: train a network, or continue a training."""

import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from lgn.commands.options import DataDir, Device, Epochs, ImageSize, Settings, run_directory, with_settings
from lgn.front.run_page import result_of
from lgn.training import Config, Interrupted, Run, preset, train
from lgn.training.config import Task
from lgn.training.presets import PRESETS
from lgn.training.processes import is_first_process

#: The options that are no settings of a config.
OTHER = ("preset", "task", "set", "out", "resume")


@dataclass(frozen=True)
class Options:
    """Train a linear group network and write a run directory. `lgn analyze RUN` then describes its generators.

    Ctrl-C stops a training; --resume RUN continues it. Under torchrun the same command trains in several processes.
    """

    data: Annotated[str, tyro.conf.Positional] = "digits"
    """A named data set (digits, mnist, cifar10, ...; see `lgn data list`), a folder of images, or an .npz file."""
    preset: Annotated[str, tyro.conf.arg(metavar=f"{{{','.join(PRESETS)}}}")] = "quick"
    """quick (the paper's network, minutes), paper (the settings of the paper), released (those of the authors' code),
    stable (for long trainings), net (an equivariant network)."""
    task: Task = "auto"
    """auto classifies images that have labels and reconstructs others."""
    epochs: Epochs = None
    group: str | None = None
    """The group of the filter sets, such as C4, D4 or C8."""
    generator: str | None = None
    """The family of the generators, such as dense, orthogonal, cyclic, fixed; free trains filters without a group."""
    seed: int = 0
    """Seed of the training."""
    image_size: ImageSize = None
    data_dir: DataDir = None
    device: Device = "auto"
    set: Settings = ()
    out: Path | None = None
    """The run directory; by default runs/DATA-TASK-PRESET-SEED."""
    resume: Path | None = None
    """Continue this run. It keeps its settings, so no other option can be given."""

    def config(self) -> Config:
        """The settings of the training."""
        options = {name: value for name, value in vars(self).items() if name not in OTHER}
        return preset(self.preset, self.task, **with_settings(options, self.set))

    def run(self) -> tuple[Config, Path]:
        """The settings of the training, and the run directory."""
        if self.resume is None:
            return self.config(), self.out or run_directory(self.data, self.task, self.preset, self.seed)
        if self != Options(resume=self.resume):
            raise ValueError("resume must be the only option, since a run keeps its settings, got others too")
        return Run.open(self.resume).config, self.resume


def run(options: Options) -> int:
    config, out = options.run()
    try:
        trained = train(config, out, progress=True)
    except Interrupted as stop:
        if is_first_process():
            sys.stderr.write(f"{stop}; continue with: lgn train --resume {shlex.quote(str(out))}\n")
        return 130
    if is_first_process():
        with trained.reading("metrics.jsonl", "the metrics of a run"):
            if (result := result_of(trained)) is None:
                raise ValueError(f"{trained.path} must have metrics.jsonl with a line for every epoch, got none")
            last = trained.metrics[-1]
            print(f"{result}, {last['seconds'] / 60:.1f} minutes")
            if conditions := last.get("step_conditions"):
                values = "  ".join(f"{condition:.3g}" for condition in conditions)
                print(f"step * sigma_max per layer (ISTA converges up to 1): {values}")
        print(f"run: {trained.path}")
        if config.network.family is not None:
            print(f"next: lgn analyze {shlex.quote(str(trained.path))}")
    return 0
