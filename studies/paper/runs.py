"""The trainings behind the figures and the claims, and the controls of the learned group (claim 14)."""

from dataclasses import replace
from typing import Any

import torch

from lgn.data import NAMED_SETS
from lgn.training import Config, build_model, preset
from lgn.training.presets import nearest_preset

LONG, LONG_RECONSTRUCTION, SHORT, PENALTY_EPOCHS = 100, 30, 10, 5
# A verdict needs five runs. Long trainings have fewer.
SEEDS, FEW = 5, 3


def classification(data: str, name: str = "paper", **changes: Any) -> Config:
    return preset(name, "classify", data=data, **({"epochs": LONG} | changes))


def reconstruction(data: str, name: str = "paper", **changes: Any) -> Config:
    return preset(name, "reconstruct", data=data, **({"epochs": LONG_RECONSTRUCTION} | changes))


def long_runs(data: str) -> dict[str, Config]:
    return {
        "": classification(data),
        "-gaussian-start": classification(data, start="gaussian"),
        "-released": classification(data, "released"),
    }


def seeds_of(config: Config, count: int | None = None) -> list[Config]:
    """Short runs over seeds, for the statistics: the run is the unit."""
    network, colour = config.network, config.data == "cifar10"
    usual = SEEDS
    if network.num_sets > preset(nearest_preset(config)).network.num_sets:
        usual = 1 if colour else FEW
    elif network.generator == "fixed" or (network.architecture == "cnn" and colour):
        usual = FEW
    return [replace(config, seed=seed, epochs=SHORT) for seed in range(count or usual)]


CONTROLS = {
    "free filters": {"generator": "free"},
    "rotation by 90 degrees": {"generator": "fixed", "operator": "rotation 90"},
}


def with_equal_filters(group: Config, control: str) -> Config:
    return _with(group, **CONTROLS[control])


def with_equal_parameters(group: Config, control: str) -> Config:
    """A control with about as many parameters as the group, and so with more filters."""
    same = with_equal_filters(group, control)
    one, two = (parameters(_with(same, num_sets=number)) for number in (1, 2))
    # All sets add equally many parameters.
    return _with(same, num_sets=max(1, round((parameters(group) - one) / (two - one)) + 1))


def parameters(config: Config) -> int:
    known = NAMED_SETS[config.data]
    with torch.random.fork_rng(devices=[]):
        model = build_model(config, known.image_shape, len(known.class_names), config.task)
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)


def _with(config: Config, **changes: object) -> Config:
    return replace(config, network=replace(config.network, **changes))  # type: ignore[arg-type]
