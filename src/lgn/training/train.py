"""Training as people ask for it: images, processes, and a run directory that continues."""

import shlex
from pathlib import Path

from lgn.discovery import determined_dimension, warn_undetermined
from lgn.training.build import generator_rate
from lgn.training.config import Config
from lgn.training.loop import Interrupted, network_of, train_run
from lgn.training.prepared import load_images
from lgn.training.processes import processes
from lgn.training.run import Run


def train(config: Config, out: str | Path, *, progress: bool = True) -> Run:
    """Train as the config says and leave everything in the directory `out`; continue where a run stopped.

    Under torchrun, each process takes its part of every batch, and the first one writes. A run that has finished is
    returned as it is.
    """
    run = Run(out)
    with processes(config.device) as group:
        images = load_images(config)
        group.require_part(len(images.parts["train"][0]), config.batch_size)
        if group.writes and not run.finished and generator_rate(config):
            warn_undetermined(*determined_dimension(network_of(config, images)))
        try:
            return train_run(config, run, group, images, progress=progress)
        except Interrupted as stop:
            raise Interrupted(f"{stop}; continue with: lgn train --resume {shlex.quote(str(run.path))}") from None
