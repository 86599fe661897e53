"""`Group`: a finite group with its multiplication table, generators, words, relations and representations."""

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from lgn.groups import multiplication
from lgn.groups.group_names import name_of
from lgn.groups.irreps import real_irreps, regular
from lgn.groups.presentation import relations_of
from lgn.groups.subgroup import Subgroup
from lgn.groups.words import IDENTITY, Letters, default_names, distinct_names, parse, spell
from lgn.linalg import identity_like


@dataclass(frozen=True, eq=False)
class Group:
    """A finite group, given by its multiplication table and its generators.

    Elements are the numbers 0 to `order - 1`, the identity is 0, and `table[g, h]` is `g h`. For matrices,
    `rho(g h) = rho(g) rho(h)`: the right factor acts first. Two groups are equal if their tables and generators are
    equal; `is_isomorphic` ignores how the elements are numbered.

    `group["r s"]` is an element by its word, and `g * h` the direct product of two groups.
    """

    #: (order, order), integers.
    table: Tensor
    #: The names of the generators, and the numbers of the elements they are.
    generators: tuple[str, ...]
    generator_elements: tuple[int, ...]
    #: Relations that are known to define the group; derived from the table if None.
    known_relations: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        names = ", ".join(self.generators)
        if len(self.generators) != len(self.generator_elements):
            raise ValueError(f"generators must have {len(self.generator_elements)} names, got {names}")
        if len({*self.generators, IDENTITY}) != len(self.generators) + 1:
            raise ValueError(f"generators must have distinct names other than {IDENTITY}, got {names}")
        if len(multiplication.generated(self._rows, self.generator_elements)) != self.order:
            raise ValueError(f"generators must generate all {self.order} elements, {names} do not")

    @classmethod
    def from_rows(cls, rows: multiplication.Table) -> "Group":
        """The group of a table that is known to be one, with as few generators as possible: a, b, ..."""
        elements = multiplication.generating_elements(rows)
        return cls(torch.tensor(rows), default_names(len(elements)), elements)

    @property
    def order(self) -> int:
        """The number of elements."""
        return len(self.table)

    @cached_property
    def _rows(self) -> list[list[int]]:
        return self.table.tolist()

    @cached_property
    def inverses(self) -> Tensor:
        """The inverse of each element.  (order,)"""
        return self.table.argmin(1)  # the identity is 0

    @cached_property
    def element_orders(self) -> tuple[int, ...]:
        """The smallest q with `g^q = e`, for each element."""
        return multiplication.element_orders(self._rows)

    @cached_property
    def tree(self) -> tuple[tuple[int, int, int], ...]:
        """Triples `(g, i, h)` with `g = a_i h` for every element g but the identity; a_i is a generator, h is earlier.

        It is a tree of shortest words, so that an orbit costs one matrix-vector product per element.
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
        """The number of elements to which each generator is applied along the tree."""
        return tuple(sum(used == place for _, used, _ in self.tree) for place in range(len(self.generators)))

    @cached_property
    def letters(self) -> tuple[Letters, ...]:
        """A shortest word for each element, as pairs of a generator's place and an exponent 1 or -1."""
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
        """Words that equal the identity and define the group: `r^4`, `s^2`, `s r s r`."""
        if self.known_relations is not None:
            return self.known_relations
        found = relations_of(self._rows, self.generator_elements, self.letters)
        return tuple(spell(letters, self.generators) for letters in found)

    @cached_property
    def name(self) -> str:
        """The name of the group, such as `C4`, `D4`, `C2 x C2`, `S3` or `trivial`; the same for isomorphic groups."""
        return name_of(self._rows)

    def __getitem__(self, word: str) -> "Element":
        """The element that a word such as `s r^2 s^-1` spells."""
        inverse = self.inverses.tolist()
        number = 0
        for place, sign in parse(word, self.generators):
            g = self.generator_elements[place]
            number = self._rows[number][g if sign > 0 else inverse[g]]
        return Element(self, number)

    def __mul__(self, other: "Group") -> "Group":
        """The direct product; the pair (a, b) is the element `a * other.order + b`.

        Generators of `other` are renumbered if their names are taken: the generators of `C2 x C2` are r and r2.
        """
        multiplication.require_order(self.order * other.order)
        table = self.table.repeat_interleave(other.order, 0).repeat_interleave(other.order, 1) * other.order
        table = table + other.table.repeat(self.order, self.order)
        elements = (*(a * other.order for a in self.generator_elements), *other.generator_elements)
        names, first = distinct_names((*self.generators, *other.generators)), len(self.generators)
        shifted = [[(first + place, sign) for place, sign in parse(w, other.generators)] for w in other.relations]
        relations = [*self.relations, *(spell(letters, names) for letters in shifted)]
        orders = [group.element_orders[a] for group in (self, other) for a in group.generator_elements]
        backwards = [(place, 1 if order == 2 else -1) for place, order in enumerate(orders)]
        for a in range(first):
            for b in range(first, len(names)):
                relations.append(spell(((a, 1), (b, 1), backwards[a], backwards[b]), names))
        return Group(table, names, elements, tuple(relations))

    def is_isomorphic(self, other: "Group") -> bool:
        """Whether the two groups differ only in how their elements are numbered."""
        return self.isomorphism(other) is not None

    def isomorphism(self, other: "Group") -> tuple[int, ...] | None:
        """The element of `other` for each element of this group such that products are kept, or None."""
        return next(multiplication.isomorphisms(self._rows, self.generator_elements, self.tree, other._rows), None)

    def subgroup(self, elements: Iterable[int | str]) -> Subgroup:
        """The subgroup generated by elements, given as numbers or words."""
        numbers = [self[element].number if isinstance(element, str) else element for element in elements]
        if wrong := [g for g in numbers if not 0 <= g < self.order]:
            raise ValueError(f"elements must be from 0 to {self.order - 1}, got {wrong[0]}")
        return Subgroup(self, tuple(sorted(multiplication.generated(self._rows, numbers))))

    def subgroups(self) -> tuple[Subgroup, ...]:
        """All subgroups, the smallest first, from the trivial subgroup to the group itself."""
        return tuple(Subgroup(self, tuple(sorted(elements))) for elements in multiplication.subgroups(self._rows))

    def regular(self) -> Tensor:
        """The regular representation: permutations of the elements.  (order, order, order)"""
        return regular(self.table)

    def irreps(self) -> tuple[Tensor, ...]:
        """The real irreducible representations, orthogonal, the trivial one first.  (order, n, n) each"""
        return real_irreps(self.table)

    def representation(self, matrices: Tensor) -> Tensor:
        """`rho(g)` for every element, computed along `tree` from a matrix for each generator.

        It is a representation if and only if the matrices satisfy the relations.

        Shapes: (generators, ..., d, d) -> (order, ..., d, d)
        """
        self.require_one_for_each_generator(matrices)
        found = {0: identity_like(matrices).expand(matrices.shape[1:])}
        for g, place, h in self.tree:
            found[g] = matrices[place] if h == 0 else matrices[place] @ found[h]
        return torch.stack([found[g] for g in range(self.order)])

    def require_one_for_each_generator(self, matrices: Tensor) -> None:
        """Raise a ValueError unless the first dimension of `matrices` is the number of generators."""
        if len(matrices) != len(self.generators):
            names = ", ".join(self.generators)
            raise ValueError(f"matrices must be one for each generator {names} of {self.name}, got {len(matrices)}")

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
class Element:
    """An element of a group: `g * h` is the product, `g ** 2` a power and `g ** -1` the inverse."""

    group: Group
    number: int

    @property
    def word(self) -> str:
        """A shortest word for the element."""
        return self.group.words[self.number]

    @property
    def order(self) -> int:
        """The smallest q with `g^q = e`."""
        return self.group.element_orders[self.number]

    def __mul__(self, other: "Element") -> "Element":
        if self.group != other.group:
            raise ValueError(f"elements must be of one group, got {self.group.name} and {other.group.name}")
        return Element(self.group, int(self.group.table[self.number, other.number]))

    def __pow__(self, exponent: int) -> "Element":
        number = 0
        for _ in range(exponent % self.order):
            number = int(self.group.table[number, self.number])
        return Element(self.group, number)

    def __repr__(self) -> str:
        return self.word
