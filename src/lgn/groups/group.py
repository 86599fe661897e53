"""`Group`: a finite group as what layers, fits and names need of it; `Subgroup`: a part of one."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from lgn.groups import tables
from lgn.groups.irreps import real_irreps, regular
from lgn.groups.isomorphism import isomorphism
from lgn.groups.naming import name_of
from lgn.groups.presentation import relations_of
from lgn.groups.words import IDENTITY, Letters, default_names, parse, spell


@dataclass(frozen=True, eq=False)
class Group:
    """A finite group: its table, and what its generators are called.

    Elements are the numbers 0 to `order - 1`, the identity is 0, and `table[g, h]` is `g h`. As matrices, `rho(g h) =
    rho(g) rho(h)`: of a product the right factor acts first. Two groups are equal if their tables and generators are;
    `is_isomorphic` asks for less.
    """

    #: (order, order), integers.
    table: Tensor
    #: The names of the generators, and which elements they are.
    generators: tuple[str, ...]
    generator_elements: tuple[int, ...]
    #: Relations that are known to define it; found from the table where None.
    known_relations: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.generators) != len(self.generator_elements):
            raise ValueError(
                f"generators must have a name for each of {len(self.generator_elements)} elements, "
                f"got {', '.join(self.generators)}"
            )
        if len({*self.generators, IDENTITY}) != len(self.generators) + 1:
            raise ValueError(f"generators must have names of their own, other than e, got {', '.join(self.generators)}")
        if len(tables.generated(self._rows, self.generator_elements)) != self.order:
            raise ValueError(f"generators must generate all {self.order} elements, {', '.join(self.generators)} do not")

    @property
    def order(self) -> int:
        return len(self.table)

    @cached_property
    def _rows(self) -> list[list[int]]:
        return self.table.tolist()

    @cached_property
    def inverses(self) -> Tensor:
        """The inverse of each element.  (order,)"""
        return torch.tensor(tables.inverses(self._rows))

    @cached_property
    def element_orders(self) -> tuple[int, ...]:
        """The smallest q with `g^q = e`, for each element."""
        return tables.element_orders(self._rows)

    @property
    def is_abelian(self) -> bool:
        return tables.is_abelian(self._rows)

    @cached_property
    def tree(self) -> tuple[tuple[int, int, int], ...]:
        """Every element but the identity as `(element, generator's place, earlier element)`: `g = a h`.

        The tree of shortest words, so that an orbit is one matrix-vector product for each element.
        """
        steps, seen, new = [], {0}, deque([0])
        while new:
            h = new.popleft()
            for place, a in enumerate(self.generator_elements):
                g = self._rows[a][h]
                if g not in seen:
                    seen.add(g)
                    new.append(g)
                    steps.append((g, place, h))
        return tuple(steps)

    @cached_property
    def uses(self) -> tuple[int, ...]:
        """To how many elements each generator is applied along the tree."""
        return tuple(sum(place == each for _, each, _ in self.tree) for place in range(len(self.generators)))

    @cached_property
    def letters(self) -> tuple[Letters, ...]:
        """The word of each element, as pairs of a generator's place and an exponent."""
        found: dict[int, Letters] = {0: ()}
        for g, place, h in self.tree:
            found[g] = ((place, 1), *found[h])
        return tuple(found[g] for g in range(self.order))

    @cached_property
    def words(self) -> tuple[str, ...]:
        """A shortest word for each element: `e`, `r`, `r^2`, `r s`."""
        return tuple(spell(letters, self.generators) for letters in self.letters)

    @cached_property
    def relations(self) -> tuple[str, ...]:
        """Words that are the identity and define the group: `r^4`, `s^2`, `s r s r`."""
        if self.known_relations is not None:
            return self.known_relations
        found = relations_of(self._rows, self.generator_elements, self.letters)
        return tuple(spell(letters, self.generators) for letters in found)

    @cached_property
    def name(self) -> str:
        """Which group it is: `C4`, `D4`, `C2 x C2`, `S3`, `trivial`; equal for groups that differ in labels alone."""
        return name_of(self._rows)

    def parse(self, word: str) -> Letters:
        """The letters of a word, for whoever multiplies something else than elements."""
        return parse(word, self.generators)

    def element(self, word: str) -> int:
        """The element that a word such as `s r^2 s^-1` is."""
        inverse = self.inverses.tolist()
        total = 0
        for place, sign in self.parse(word):
            g = self.generator_elements[place]
            total = self._rows[total][g if sign > 0 else inverse[g]]
        return total

    def is_isomorphic(self, other: "Group") -> bool:
        """Whether the two differ in the labels of their elements alone."""
        return self.isomorphism(other) is not None

    def isomorphism(self, other: "Group") -> tuple[int, ...] | None:
        """The element of `other` for each element of this one, so that products are kept; None if there is none."""
        return isomorphism(self._rows, self.generator_elements, self.tree, other._rows)

    def subgroup(self, elements: Iterable[int | str]) -> "Subgroup":
        """The subgroup that some elements, by number or by word, generate."""
        numbers = [self.element(each) if isinstance(each, str) else each for each in elements]
        if wrong := [g for g in numbers if not 0 <= g < self.order]:
            raise ValueError(f"elements must be from 0 to {self.order - 1}, got {wrong[0]}")
        return Subgroup(self, tuple(sorted(tables.generated(self._rows, numbers))))

    def subgroups(self) -> "tuple[Subgroup, ...]":
        """All subgroups, the smallest first; the trivial one and the group itself are among them."""
        return tuple(Subgroup(self, tuple(sorted(each))) for each in tables.subgroups(self._rows))

    def conjugacy_classes(self) -> tuple[tuple[int, ...], ...]:
        """The classes `{g h g^-1}`, that of the identity first."""
        return tables.conjugacy_classes(self._rows)

    def regular(self) -> Tensor:
        """The regular representation: permutations of the elements.  (order, order, order)"""
        return regular(self.table)

    def irreps(self) -> tuple[Tensor, ...]:
        """Real irreducible representations, one of each kind, orthogonal, the trivial one first: each (order, n, n)."""
        return real_irreps(self.table)

    def representation(self, matrices: Tensor) -> Tensor:
        """`rho(g)` for every element, from one matrix for each generator, along the tree of words.

        It is a representation if and only if the matrices satisfy the relations.

        Shapes: (generators, ..., d, d) -> (order, ..., d, d)
        """
        if len(matrices) != len(self.generators):
            raise ValueError(f"matrices must be one for each of {self._listed()}, got {len(matrices)}")
        eye = torch.eye(matrices.shape[-1], dtype=matrices.dtype, device=matrices.device)
        found = {0: eye.expand(matrices.shape[1:])}
        for g, place, h in self.tree:
            found[g] = matrices[place] if h == 0 else matrices[place] @ found[h]
        return torch.stack([found[g] for g in range(self.order)])

    def _listed(self) -> str:
        return f"the {len(self.generators)} generators {', '.join(self.generators)} of {self.name}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Group)
            and self.generators == other.generators
            and self.generator_elements == other.generator_elements
            and torch.equal(self.table, other.table)
        )

    def __hash__(self) -> int:
        return hash((self.order, self.generators, self.generator_elements))

    def __repr__(self) -> str:
        return f"Group({self.name}: {', '.join(self.generators)}; {', '.join(self.relations)}; order {self.order})"


@dataclass(frozen=True)
class Subgroup:
    """A subgroup by its elements, sorted, as numbers of the group that it is a part of."""

    parent: Group
    elements: tuple[int, ...]

    @property
    def order(self) -> int:
        return len(self.elements)

    @property
    def index(self) -> int:
        """How many cosets it has."""
        return self.parent.order // self.order

    @property
    def words(self) -> tuple[str, ...]:
        """Its elements as words of the parent."""
        return tuple(self.parent.words[g] for g in self.elements)

    @cached_property
    def name(self) -> str:
        return name_of(self._rows)

    @property
    def is_normal(self) -> bool:
        return tables.is_normal(self.parent.table.tolist(), frozenset(self.elements))

    @cached_property
    def _rows(self) -> list[list[int]]:
        return tables.restricted(self.parent.table.tolist(), self.elements)

    def group(self) -> Group:
        """A group of its own, element i being `elements[i]`."""
        return group_of(self._rows)

    def cosets(self) -> tuple[tuple[int, ...], ...]:
        """The left cosets `g H`, the subgroup first."""
        found: list[tuple[int, ...]] = []
        for g in range(self.parent.order):
            if not any(g in coset for coset in found):
                found.append(tuple(sorted(int(self.parent.table[g, h]) for h in self.elements)))
        return tuple(found)

    def __repr__(self) -> str:
        return f"Subgroup({self.name}: {', '.join(self.words)})"


def group_of(table: tables.Table, generators: Iterable[str] | None = None) -> Group:
    """The group with a table that is known to be one, generated by as few elements as possible."""
    chosen = tables.generating_elements(table)
    names = tuple(generators) if generators is not None else default_names(len(chosen))
    return Group(torch.tensor(table), names, chosen)
