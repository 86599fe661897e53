"""The numbers that a setting may have, written beside its type: `epochs: Count = 100`."""

import math
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any


@dataclass(frozen=True)
class Limits:
    """The numbers from `low`, which is allowed, to `high`, which is not."""

    words: str
    low: float
    high: float = math.inf


SMALLEST = math.ulp(0.0)  # the smallest positive float
SEEDS = 2**64  # torch tells this many seeds apart

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
