"""A cell of the benchmark: one task, one method, one seed."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Cell(NamedTuple):
    """A measurement to make: what it is called, and how it is made."""

    key: dict[str, Any]
    measure: Callable[[], dict[str, Any]]
