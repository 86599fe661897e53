"""Training as people ask for it: images, processes, and a run directory that continues."""

import shlex
from pathlib import Path

import torch

from lgn import data
from lgn.discovery.filters import determined_dimension, warn_undetermined
from lgn.training.build import build_model, generator_rate
from lgn.training.config import Config
from lgn.training.loop import Interrupted, network_of, train_run
from lgn.training.prepared import load_images, parts_of, task_of
from lgn.training.processes import choose_device, processes
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


def require_trainable(config: Config, found: data.DataSet) -> None:
    """Refuse what `train` would refuse of these images, before anything else is done with them."""
    choose_device(config.device)
    parts_of(config, found)
    with torch.random.fork_rng(devices=[]):
        build_model(config, found.image_shape, found.num_classes, task_of(config, found))
