"""Training as people ask for it: one run, or one that begins where others ended."""

import shlex
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from torch import Tensor

from lgn.discovery import determined_dimension, fewest_pairs, warn_undetermined
from lgn.training.build import generator_rate
from lgn.training.config import Config
from lgn.training.images import load_images
from lgn.training.lifted import free_config, lifted_start
from lgn.training.loop import Interrupted, network_of, train_run
from lgn.training.processes import processes
from lgn.training.run import Run
from lgn.training.starts import best_start, search_epochs


def train(config: Config, out: str | Path, *, progress: bool = True) -> Run:
    """Train as the config says and leave everything in the directory `out`; continue where a run stopped.

    Under torchrun, each process takes its part of every batch, and the first one writes. A run that has finished is
    returned as it is. Stages before the run itself (`train="lifted"`, `starts` above 1) are runs in directories below
    `out`, so that they continue too.
    """
    run = Run(out)
    with processes(config.device) as group:
        images = load_images(config)
        group.require_share(len(images.parts["train"][0]), config.batch_size)
        replace(config, task=images.facts["task"])  # refuses what does not go with the task that the data decided
        if group.writes and not run.finished and (config.train == "lifted" or generator_rate(config)):
            network = network_of(config, images)
            pairs = fewest_pairs(network) if config.train == "lifted" else None  # to train, as many as pixels will do
            warn_undetermined(*determined_dimension(network), pairs)
        start: Callable[[], dict[str, Tensor]] | None = None
        before = 0
        if config.train == "lifted":
            start, before = partial(lifted_start, config, run, group, images, progress), free_config(config).epochs
        elif config.starts > 1:
            start, before = partial(best_start, config, run, group, images, progress), search_epochs(config)
        try:
            return train_run(config, run, group, images, progress=progress, start=start, before=before)
        except Interrupted as stop:
            raise Interrupted(f"{stop}; continue with: lgn train --resume {shlex.quote(str(run.path))}") from None
