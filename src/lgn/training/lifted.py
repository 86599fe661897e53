"""Lifting: a run with free filters, and orbits under the generator that they show as the start of the next."""

import math
import warnings
from dataclasses import replace

from torch import Tensor

from lgn.discovery import Lifted, UndeterminedWarning, lift
from lgn.training.build import generator_rate
from lgn.training.config import Config
from lgn.training.images import Images
from lgn.training.loop import train_run
from lgn.training.processes import Processes
from lgn.training.progress import announce
from lgn.training.run import Run
from lgn.whole_files import write_json


def lifted_start(config: Config, run: Run, group: Processes, images: Images, progress: bool) -> dict[str, Tensor]:
    """Train free filters in `run/free`, lift them, and write `lift.json`.  -> the weights to go on from"""
    first = free_config(config)
    announce("free filters", first.epochs, progress and group.writes)
    free = train_run(first, Run(run.path / "free"), group, images, progress=progress, after=config.epochs)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndeterminedWarning)  # it was said before training began
        lifted = lift(free.model(), method=config.lift_method, snap_to=config.snap, freeze=False)
    if group.writes:
        write_json(run.path / "lift.json", _facts(config, lifted))
    announce("orbits of the fitted generators", config.epochs, progress and group.writes)
    return lifted.model.state_dict()


def free_config(config: Config) -> Config:
    """The free stage of a lifted training."""
    return replace(
        config,
        train="direct",
        epochs=config.lift_epochs or (config.epochs + 1) // 2,
        lift_epochs=None,
        lift_method="least-squares",
        snap="none",
        network=replace(config.network, generator="free"),
    )


def _facts(config: Config, lifted: Lifted) -> dict[str, object]:
    layers = [
        {
            "residual": fit.residual,
            "scalar_residual": fit.scalar_residual,
            "noise": None if math.isnan(fit.noise) else fit.noise,
            "identifiable_dimension": fit.identifiable_dimension,
            "dimensions": fit.matrix.shape[-1],
            "p_value": fit.p_value,
            "distance": distance,
        }
        for fit, distance in zip(lifted.fits, lifted.distances, strict=True)
    ]
    return {
        "method": config.lift_method,
        "snap": config.snap,
        "generator_rate": generator_rate(config),
        "layers": layers,
    }
