"""Checks of a config: numbers within the limits of their types, groups with their operators, generator families.

The limits of a number are written in its type: `epochs: Count = 100`.
"""

import math
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import torch

from lgn.generators import FAMILIES
from lgn.groups import relation_error
from lgn.transforms import parse_operator

if TYPE_CHECKING:
    from lgn.training.config import NetworkConfig

TOLERANCE = 1e-6  # largest error of the group's relations for given operators


@dataclass(frozen=True)
class Limits:
    """The numbers from `low`, which is allowed, to `high`, which is not."""

    words: str
    low: float
    high: float = math.inf


SMALLEST = math.ulp(0.0)  # the smallest positive float
SEEDS = 2**64  # torch distinguishes this many seeds

Count = Annotated[int, Limits("at least 1", 1)]
Margin = Annotated[int, Limits("at least 0", 0)]
Seed = Annotated[int, Limits(f"from 0 to {SEEDS - 1}", 0, SEEDS)]
Positive = Annotated[float, Limits("positive and finite", SMALLEST)]
NotNegative = Annotated[float, Limits("finite and not negative", 0)]
Fraction = Annotated[float, Limits("at least 0 and below 1", 0, 1)]


def require_limits(settings: Any) -> None:
    """Raise a ValueError for the first number of a dataclass that is outside the limits of its field."""
    for name, limits in _limits(type(settings)).items():
        value = getattr(settings, name)
        if isinstance(value, int | float) and not limits.low <= value < limits.high:
            raise ValueError(f"{name} must be {limits.words}, got {value}")


def _limits(kind: type) -> dict[str, Limits]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return {name: limits for name, hint in hints.items() for limits in _limits_in(hint)}


def _limits_in(hint: Any) -> Iterator[Limits]:
    """The limits in a type hint, also if it is one type of several, as in `Positive | None`."""
    for part in (hint, *typing.get_args(hint)):
        yield from (item for item in getattr(part, "__metadata__", ()) if isinstance(item, Limits))


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
