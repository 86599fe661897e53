"""What a config must have: numbers that mean something, and a family that can start."""

import math
from typing import TYPE_CHECKING

import torch

from lgn.generators import FAMILIES
from lgn.groups import relation_error
from lgn.transforms import parse_operator

if TYPE_CHECKING:
    from lgn.training.config import Config, NetworkConfig


TOLERANCE = 1e-6  # to which operators must satisfy the relations of their group
SEEDS = 2**64  # how many torch can tell apart
COUNTS = ("epochs", "batch_size", "train_images", "image_size", "parameters")
SIZES = ("num_layers", "num_sets", "kernel_size", "pool")
LEAST = {**dict.fromkeys((*COUNTS, *SIZES), 1), "order": 2, "padding": 0}
POSITIVE = ("learning_rate", "clip", "norm", "step")
NOT_NEGATIVE = ("generator_rate", "penalty_weight", "checkpoint_seconds", "weight_decay")
SHARES = ("validation", "dropout")


def require_numbers(config: "Config") -> None:
    """Refuse numbers that nothing can be done with, or only nonsense. None stands for a default, and passes."""
    # Words, such as 'same' for padding, and None are no numbers.
    given = {**vars(config), **vars(config.network)}
    numbers = {name: value for name, value in given.items() if isinstance(value, int | float)}
    for name, value in numbers.items():
        if name in LEAST and value < LEAST[name]:
            raise ValueError(f"{name} must be at least {LEAST[name]}, got {value}")
        if name in POSITIVE and not (math.isfinite(value) and value > 0):
            raise ValueError(f"{name} must be positive and finite, got {value}")
        if name in NOT_NEGATIVE and not (math.isfinite(value) and value >= 0):
            raise ValueError(f"{name} must be finite and not negative, got {value}")
        if name in ("seed", "data_seed") and not 0 <= value < SEEDS:
            raise ValueError(f"{name} must be from 0 to {SEEDS - 1}, got {value}")
        if name in SHARES and not 0 <= value < 1:
            raise ValueError(f"{name} must be a share from 0 to below 1, got {value}")


def require_group(network: "NetworkConfig") -> None:
    """Refuse an order that contradicts the group, and operators that do not fit it."""
    group, operators = network.chosen_group, network.operator
    names = ", ".join(group.generators)
    if operators and len(operators) != len(group.generators):
        raise ValueError(f"operator must be given once for each of {names} of {group.name}, got {len(operators)}")
    if len(group.generators) == 1 or not operators:
        return
    patch = (network.kernel_size, network.kernel_size)
    matrices = torch.stack([parse_operator(each, patch) for each in operators])
    if float(relation_error(group, matrices)) > TOLERANCE:
        relations = f"{', '.join(group.relations)} for {names} of {group.name}"
        raise ValueError(f"operator must satisfy {relations}, got {' and '.join(operators)}")


def require_family(network: "NetworkConfig") -> None:
    """Refuse a family that is not there, and what it cannot start from."""
    if network.generator not in (*FAMILIES, "free"):
        raise ValueError(f"generator must be one of {', '.join(FAMILIES)} or free, got {network.generator!r}")
    family, given = network.family, bool(network.operator)
    wanted = "never" if family is None else family.operator
    if network.architecture == "net" and wanted == "must":
        wanted = "may"  # what turns and flips do to filters is known
    if given != (wanted == "must") and not (given and wanted == "may"):
        must, may = ([f"{f.name!r}" for f in FAMILIES.values() if f.operator == word] for word in ("must", "may"))
        raise ValueError(
            f"operator must be given with generator {', '.join(must)}, can be with {', '.join(may)} and with no other, "
            f"got generator {network.generator!r} and operator {', '.join(network.operator) or None!r}"
        )
    if network.gates and (network.architecture != "net" or family is None):
        raise ValueError(f"gates must be given with architecture 'net' and a group, got {network.architecture!r}")
    if network.start == "group":
        if network.architecture != "net":
            raise ValueError(f"start must not be 'group' for architecture {network.architecture!r}, a net alone has it")
    elif family is not None and not given:
        family.require_start(network.start)
