"""`Subgroup`: a part of a group that is a group."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from lgn.groups import multiplication
from lgn.groups.group_names import name_of

if TYPE_CHECKING:
    from lgn.groups.group import Group


@dataclass(frozen=True)
class Subgroup:
    """A subgroup, given by the sorted numbers of its elements in the parent group."""

    parent: "Group"
    elements: tuple[int, ...]

    @property
    def order(self) -> int:
        """The number of elements."""
        return len(self.elements)

    @property
    def words(self) -> tuple[str, ...]:
        """The elements as words in the generators of the parent."""
        return tuple(self.parent.words[g] for g in self.elements)

    @cached_property
    def name(self) -> str:
        """The name of the subgroup, such as `C2`."""
        return name_of(self._rows)

    @cached_property
    def _rows(self) -> list[list[int]]:
        return multiplication.restricted(self.parent.table.tolist(), self.elements)

    def group(self) -> "Group":
        """The subgroup as a group of its own, whose element i is `elements[i]` of the parent."""
        return self.parent.from_rows(self._rows)

    def __repr__(self) -> str:
        return f"Subgroup({self.name}: {', '.join(self.words)})"
