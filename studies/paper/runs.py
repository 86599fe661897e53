"""The trainings behind the figures and the claims, each by what it is for."""

import dataclasses
from typing import Any

from lgn.generators import StartName
from lgn.training import Config, preset
from lgn.training.presets import nearest_preset

LONG, LONG_RECONSTRUCTION, SHORT, PENALTY_EPOCHS = 100, 30, 10, 5
# A verdict needs five runs. Where fewer are said, the numbers are for reading: their trainings take longest.
SEEDS, FEW = 5, 3


def classification(data: str, name: str = "paper", start: StartName | None = None, **changes: Any) -> Config:
    """A long run for the figures (sec. 5.1, 5.3.1)."""
    changes = {"epochs": LONG} | changes | ({"start": start} if start else {})
    return preset(name, "classify", data=data, **changes)


def reconstruction(data: str, name: str = "paper", **changes: Any) -> Config:
    """A long run of the other task (sec. 5.3.2)."""
    return preset(name, "reconstruct", data=data, **({"epochs": LONG_RECONSTRUCTION} | changes))


def long_runs(data: str) -> dict[str, Config]:
    """The long runs of a data set, by the ending of their figures' names: both starts of `paper`, and `released`."""
    return {
        "": classification(data),
        "-gaussian-start": classification(data, start="gaussian"),
        "-released": classification(data, "released"),
    }


def seeds_of(config: Config, count: int | None = None) -> list[Config]:
    """Short runs over seeds, for the statistics: the run is the unit."""
    number = count or _seeds(config)
    return [dataclasses.replace(config, seed=seed, epochs=SHORT) for seed in range(number)]


def _seeds(config: Config) -> int:
    network = config.network
    colour, wide = config.data == "cifar10", network.num_sets > preset(nearest_preset(config)).network.num_sets
    if wide:
        return 1 if colour else FEW
    return FEW if network.generator == "fixed" or (network.architecture == "cnn" and colour) else SEEDS
