"""The group of the transformations that are kept."""

from collections.abc import Sequence
from itertools import combinations, product
from typing import NamedTuple

import torch
from torch import Tensor

from lgn.groups import Closure, Group, cyclic, from_matrices
from lgn.groups.words import distinct_names
from lgn.transforms import Family, Transformation

#: Relative difference below which matrices, or transformed samples, are equal.
EQUAL = 1e-3
#: The domains of the catalogue: transformations of different domains commute.
DOMAINS = ("places", "values", "channels")


class Kept(NamedTuple):
    """The group of the kept transformations, and the name of the symmetry.

    group: None if no finite transformations were asked about, or if the kept ones are not closed.
    elements: the words of transformations, by their names.
    """

    group: Group | None
    elements: dict[str, str]
    name: str
    notes: tuple[str, ...]


class _Part(NamedTuple):
    """The group of the kept transformations of one domain, and their elements by name."""

    group: Group
    elements: dict[str, int]
    name: str


def kept_group(families: Sequence[Family], kept: Sequence[str], samples: Tensor) -> Kept:
    """The group that the kept transformations generate: a direct product over domains.

    It is a symmetry only if no element of it is a transformation that was asked about and is not kept.

    kept: names of transformations.  samples: a few samples, which show how the user's transformations multiply.
    """
    domains = dict.fromkeys(family.domain for family in families if family.group is not None)
    if not domains:
        return Kept(None, {}, "", ())
    total, numbers, parts, notes = cyclic(1), dict[str, int](), list[str](), list[str]()
    for domain in domains:
        part = _part([family for family in families if family.domain == domain and family.group is not None], kept)
        if part is None:
            names = [one.name for family in families if family.domain == domain for one in family.transformations]
            listed = ", ".join(dict.fromkeys(name for name in names if name in kept))
            notes.append(f"The kept transformations {listed} do not form a group: some product of them is not kept.")
            continue
        numbers = {name: number * part.group.order for name, number in numbers.items()} | part.elements
        if part.group.order > 1:
            total = part.group if total.order == 1 else total * part.group
            parts.append(part.name)
    users = [family for family in families if family.group is not None and family.domain not in DOMAINS]
    users = [family for family in users if any(one.name in kept for one in family.transformations)]
    if not notes and users and not _acts(total, numbers, families, samples):
        notes.append("The group of the user's transformations and the others is not known: it is no direct product.")
    if notes:
        return Kept(None, {}, "", tuple(notes))
    elements = {name: total.words[number] for name, number in numbers.items()}
    return Kept(total, elements, " x ".join(parts) or total.name, ())


def generating(transformations: Sequence[Transformation], matrices: Sequence[Tensor]) -> list[int]:
    """The places of as few transformations as possible that generate the same group, those of highest order first."""
    chosen: list[int] = []
    ranked = sorted(range(len(transformations)), key=lambda place: -(transformations[place].order or 0))
    for place in ranked:
        if not chosen or _place(from_matrices([matrices[one] for one in chosen]), matrices[place]) is None:
            chosen.append(place)
    return chosen


def _part(families: Sequence[Family], kept: Sequence[str]) -> _Part | None:
    """The group of one domain; None if it contains a transformation that is not kept."""
    found: dict[str, tuple[Transformation, Tensor]] = {}
    for family in families:
        for one in family.transformations:
            assert family.matrices is not None
            assert one.element is not None
            found.setdefault(one.name, (one, family.matrices[one.element]))
    names = [name for name in found if name in kept]
    if not names:
        return _Part(cyclic(1), {}, "")
    matrices = [found[name][1] for name in names]
    chosen = generating([found[name][0] for name in names], matrices)
    letters = distinct_names(["r" if torch.linalg.det(matrices[place]) > 0 else "s" for place in chosen])
    closed = from_matrices([matrices[place] for place in chosen], names=letters)
    if any(name not in kept and _place(closed, matrix) is not None for name, (_, matrix) in found.items()):
        return None
    elements = {name: _place(closed, found[name][1]) or 0 for name in names}
    return _Part(closed.group, elements, _name(families, kept, closed))


def _name(families: Sequence[Family], kept: Sequence[str], closed: Closure) -> str:
    """The name of the continuous group if every transformation that samples it is kept, otherwise that of the group."""
    for family in families:
        if family.limits and all(one.name in kept for one in family.transformations):
            reflects = bool((torch.linalg.det(closed.elements) < 0).any())
            return family.limits[reflects]
    return closed.group.name


def _place(closed: Closure, matrix: Tensor) -> int | None:
    """The number of the element with this matrix, or None."""
    distances = (closed.elements - matrix).flatten(1).norm(dim=1)
    return int(distances.argmin()) if float(distances.min()) < EQUAL else None


def _acts(group: Group, numbers: dict[str, int], families: Sequence[Family], samples: Tensor) -> bool:
    """Whether the transformations multiply as the elements of the group do, and differ, on a few samples."""
    known = {numbers[one.name]: one for family in families for one in family.transformations if one.name in numbers}
    generators = [known[element] for element in group.generator_elements]
    versions = {0: samples}
    for element, place, earlier in group.tree:
        versions[element] = generators[place](versions[earlier])
    if any(not _differ(versions[g], versions[h]) for g, h in combinations(range(group.order), 2)):
        return False
    products = product(zip(group.generator_elements, generators, strict=True), range(group.order))
    return not any(_differ(one(versions[h]), versions[int(group.table[g, h])]) for (g, one), h in products)


def _differ(first: Tensor, second: Tensor) -> bool:
    return float((first - second).norm()) > EQUAL * float(second.norm())
