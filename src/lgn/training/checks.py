"""Checks of a config: limits of numbers, groups with their operators, generator families."""

import math
from typing import TYPE_CHECKING, Any

import torch

from lgn.generators import FAMILIES
from lgn.groups import relation_error
from lgn.transforms import parse_operator

if TYPE_CHECKING:
    from lgn.training.config import NetworkConfig

TOLERANCE = 1e-6  # largest error of the group's relations for given operators

_COUNT = ("at least 1", 1, math.inf)
_SEED = (f"from 0 to {2**64 - 1}", 0, 2**64)  # torch distinguishes this many seeds
_POSITIVE = ("positive and finite", math.ulp(0.0), math.inf)
_NOT_NEGATIVE = ("finite and not negative", 0, math.inf)
_FRACTION = ("at least 0 and below 1", 0, 1)
#: The limits of a number as text, the smallest number that is allowed, and the first that is too large.
LIMITS: dict[str, tuple[str, float, float]] = {
    **dict.fromkeys(("num_layers", "num_sets", "kernel_size", "pool", "parameters", "epochs", "batch_size"), _COUNT),
    **dict.fromkeys(("image_size", "train_images"), _COUNT),
    **dict.fromkeys(("seed", "data_seed"), _SEED),
    **dict.fromkeys(("step", "norm", "learning_rate", "clip"), _POSITIVE),
    **dict.fromkeys(("generator_rate", "penalty_weight", "weight_decay", "checkpoint_seconds"), _NOT_NEGATIVE),
    **dict.fromkeys(("validation", "dropout"), _FRACTION),
    "padding": ("at least 0", 0, math.inf),
}


def require_limits(settings: dict[str, Any]) -> None:
    """Raise a ValueError for the first number in the settings that is outside its limits."""
    for name, value in settings.items():
        if name in LIMITS and isinstance(value, int | float):
            allowed, low, high = LIMITS[name]
            if not low <= value < high:
                raise ValueError(f"{name} must be {allowed}, got {value}")


def require_group(network: "NetworkConfig") -> None:
    """Refuse a group that does not exist or is trivial, and operators that do not satisfy its relations."""
    group, operators = network.finite_group, network.operator
    if group.order < 2:
        raise ValueError(f"group must have at least 2 elements, got {network.group!r}")
    names = ", ".join(group.generators)
    if operators and len(operators) != len(group.generators):
        raise ValueError(f"operator must be given once for each of {names} of {group.name}, got {len(operators)}")
    if len(group.generators) == 1 or not operators:
        return
    patch = (network.kernel_size, network.kernel_size)
    matrices = torch.stack([parse_operator(operator, patch) for operator in operators])
    if float(relation_error(group, matrices)) > TOLERANCE:
        relations = f"{', '.join(group.relations)} for {names} of {group.name}"
        raise ValueError(f"operator must satisfy {relations}, got {' and '.join(operators)}")


def require_family(network: "NetworkConfig") -> None:
    """Refuse an unknown generator family, and a start or operator that the family does not support."""
    if network.generator not in (*FAMILIES, "free"):
        raise ValueError(f"generator must be one of {', '.join(FAMILIES)} or free, got {network.generator!r}")
    family, given = network.family, bool(network.operator)
    wanted = "never" if family is None else family.operator
    if network.architecture == "net" and wanted == "must":
        wanted = "may"  # without an operator, a net uses the known action of turns and flips on its filters
    if given != (wanted == "must") and not (given and wanted == "may"):
        must, may = ([f"{f.name!r}" for f in FAMILIES.values() if f.operator == word] for word in ("must", "may"))
        raise ValueError(
            f"operator must be given with generator {', '.join(must)}, can be given with {', '.join(may)} and not with "
            f"another, got generator {network.generator!r} and operator {', '.join(network.operator) or None!r}"
        )
    if network.gates and (network.architecture != "net" or family is None):
        raise ValueError(f"gates must be False for architecture {network.architecture!r} and free filters, got True")
    if network.start == "group":
        if network.architecture != "net":
            raise ValueError(f"start must be 'group' for architecture 'net' only, got {network.architecture!r}")
    elif family is not None and not given:
        family.require_start(network.start)
