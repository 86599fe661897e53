"""Networks that a learned group is compared with: free filters, and a rotation that is not learned (claim 14)."""

from dataclasses import replace

import torch

from lgn.data import NAMED_SETS
from lgn.training import Config, build_model

CONTROLS = {
    "free filters": {"generator": "free"},
    "rotation by 90 degrees": {"generator": "fixed", "operator": "rotation 90"},
}


def with_equal_filters(group: Config, control: str) -> Config:
    """A control with as many filters as the group has."""
    return _with(group, **CONTROLS[control])


def with_equal_parameters(group: Config, control: str) -> Config:
    """A control with about as many trained numbers as the group has, and so with more filters."""
    same = with_equal_filters(group, control)
    one, two = (parameters(_with(same, num_sets=number)) for number in (1, 2))
    # Every set adds the same, filters and their part of the head: the nearest number of sets is a division.
    return _with(same, num_sets=max(1, round((parameters(group) - one) / (two - one)) + 1))


def parameters(config: Config) -> int:
    """How many numbers are trained in the network of a config; auxiliary inverses are no part of it."""
    known = NAMED_SETS[config.data]
    with torch.random.fork_rng(devices=[]):
        model = build_model(config, known.image_shape, len(known.class_names), config.task)
    return sum(parameter.numel() for parameter in model.parameters() if parameter.requires_grad)


def _with(config: Config, **changes: object) -> Config:
    return replace(config, network=replace(config.network, **changes))  # type: ignore[arg-type]
