"""What a config must have: numbers that mean something, something to lift, and starts to choose from."""

import math
from typing import TYPE_CHECKING

from lgn.discovery.starts import FRESH, RETRAININGS
from lgn.discovery.unordered import MAX_ORDER
from lgn.generators import FAMILIES

if TYPE_CHECKING:
    from lgn.training.config import Config, NetworkConfig


SEEDS = 2**64  # how many torch can tell apart
COUNTS = ("epochs", "batch_size", "lift_epochs", "starts", "start_epochs", "train_images", "image_size")
SIZES = ("num_layers", "num_sets", "kernel_size", "pool")
LEAST = {**dict.fromkeys((*COUNTS, *SIZES), 1), "order": 2, "padding": 0}
POSITIVE = ("learning_rate", "clip", "zca_eps", "norm", "step")
NOT_NEGATIVE = ("generator_rate", "penalty_weight", "checkpoint_seconds")


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
    if not 0 <= config.validation < 1:
        raise ValueError(f"validation must be a share from 0 to below 1, got {config.validation}")


def require_family(network: "NetworkConfig") -> None:
    """Refuse a family that is not there, and what it cannot start from."""
    if network.generator not in (*FAMILIES, "free"):
        raise ValueError(f"generator must be one of {', '.join(FAMILIES)} or free, got {network.generator!r}")
    family, given = network.family, network.operator is not None
    wanted = "never" if family is None else family.operator
    if given != (wanted == "must") and not (given and wanted == "may"):
        must, may = ([f"{f.name!r}" for f in FAMILIES.values() if f.operator == word] for word in ("must", "may"))
        raise ValueError(
            f"operator must be given with generator {', '.join(must)}, can be with {', '.join(may)} and with no other, "
            f"got generator {network.generator!r} and operator {network.operator!r}"
        )
    if family is not None and not given:
        family.require_start(network.start)


def require_lifting(config: "Config") -> None:
    """Refuse settings that leave nothing to lift, or nothing to lift it to."""
    if config.train == "direct":
        for name in ("lift_epochs", "lift_method", "snap"):
            if getattr(config, name) != type(config).__dataclass_fields__[name].default:
                raise ValueError(f"{name} must be given with train 'lifted' alone, got {getattr(config, name)!r}")
        return
    network = config.network
    if network.architecture != "unfolded":
        raise ValueError(f"architecture must be 'unfolded' for train 'lifted', got {network.architecture!r}")
    if network.generator != "dense":
        raise ValueError(
            f"generator must be 'dense' for train 'lifted', which fits it to free filters, got {network.generator!r}"
        )
    if network.share != "layer":
        raise ValueError(f"share must be 'layer' for train 'lifted', which fits one to each, got {network.share!r}")
    if network.norm is not None:
        raise ValueError(f"norm must be None for train 'lifted', which would lose what was fitted, got {network.norm}")
    if config.lift_method == "unordered" and network.order > MAX_ORDER:
        raise ValueError(f"order must be at most {MAX_ORDER} for lift_method 'unordered', got {network.order}")
    if config.freeze_filters:
        raise ValueError("freeze_filters must be off for train 'lifted', which learns the filters first")
    if config.starts > 1:
        raise ValueError(f"starts must be 1 for train 'lifted', which has a start of its own, got {config.starts}")


def require_starts(config: "Config") -> None:
    """Refuse to choose among starts that are all the same, or on images that are trained with."""
    if config.starts == 1:
        return
    wanted, network = f"starts must be 1 for {{}}, got {config.starts}", config.network
    if not config.validation:
        raise ValueError(f"validation must be above 0 to choose the best of {config.starts} starts by it, got 0")
    if network.family is None or not network.family.learning_rate:
        raise ValueError(wanted.format(f"generator {network.generator!r}, which is not searched for"))
    if network.operator is not None:
        raise ValueError(wanted.format(f"operator {network.operator!r}, which is a start already"))
    if config.freeze_filters:
        raise ValueError(wanted.format("freeze_filters, which learns no generator"))
    if config.task == "reconstruct":
        raise ValueError(wanted.format("task 'reconstruct': starts are compared by the images that they classify"))
    # Each start, and each retraining, has a seed of its own, counted on from this one's.
    largest = (SEEDS - FRESH) // max(config.starts, RETRAININGS) - 1
    if config.seed > largest:
        raise ValueError(f"seed must be at most {largest} for {config.starts} starts, got {config.seed}")
