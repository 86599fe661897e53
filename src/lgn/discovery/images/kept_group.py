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

    group: None if no candidate is finite, or if the kept transformations are not closed.
    elements: the words of transformations in the generators, by the names of the transformations.
    """

    group: Group | None
    elements: dict[str, str]
    name: str
    notes: tuple[str, ...]


def kept_group(families: Sequence[Family], kept: Sequence[str], samples: Tensor) -> Kept:
    """The group that the kept transformations generate: a direct product over domains.

    The group is None if it contains a candidate that is not kept.

    kept: names of transformations.
    samples: a few samples, on which products of the user's transformations are compared.
    """
    domains = dict.fromkeys(family.domain for family in families if family.group is not None)
    if not domains:
        return Kept(None, {}, "", ())
    total, numbers, parts, notes = cyclic(1), dict[str, int](), list[str](), list[str]()
    for domain in domains:
        part = _part([family for family in families if family.domain == domain and family.group is not None], kept)
        if part is None:
            tried = [family.transformations for family in families if family.domain == domain]
            names = dict.fromkeys(transformation.name for members in tried for transformation in members)
            listed = ", ".join(name for name in names if name in kept)
            notes.append(f"The kept transformations {listed} do not form a group: some product of them is not kept.")
            continue
        group, members, name = part
        numbers = {other: number * group.order for other, number in numbers.items()} | members
        if group.order > 1:
            total = group if total.order == 1 else total * group
            parts.append(name)
    users = any(
        transformation.name in kept
        for family in families
        if family.group is not None and family.domain not in DOMAINS
        for transformation in family.transformations
    )
    if not notes and users and not _acts(total, numbers, families, samples):
        notes.append("The user's transformations and the others have no group that is known: it is no direct product.")
    if notes:
        return Kept(None, {}, "", tuple(notes))
    elements = {name: total.words[number] for name, number in numbers.items()}
    return Kept(total, elements, " x ".join(parts) or total.name, ())


def generating(transformations: Sequence[Transformation], matrices: Sequence[Tensor]) -> list[int]:
    """The indices of a few transformations that generate the same group, those of the highest order first."""
    generators: list[int] = []
    ranked = sorted(range(len(transformations)), key=lambda index: -(transformations[index].order or 0))
    for index in ranked:
        if not generators or _element(from_matrices([matrices[g] for g in generators]), matrices[index]) is None:
            generators.append(index)
    return generators


def _part(families: Sequence[Family], kept: Sequence[str]) -> tuple[Group, dict[str, int], str] | None:
    """The group of one domain, its elements by name, and its name; None if it contains a transformation not kept."""
    known: dict[str, tuple[Transformation, Tensor]] = {}
    for family in families:
        for transformation in family.transformations:
            assert family.matrices is not None
            assert transformation.element is not None
            known.setdefault(transformation.name, (transformation, family.matrices[transformation.element]))
    names = [name for name in known if name in kept]
    if not names:
        return cyclic(1), {}, ""
    matrices = [known[name][1] for name in names]
    generators = [matrices[index] for index in generating([known[name][0] for name in names], matrices)]
    letters = distinct_names(["r" if torch.linalg.det(matrix) > 0 else "s" for matrix in generators])
    closed = from_matrices(generators, names=letters)
    if any(name not in kept and _element(closed, matrix) is not None for name, (_, matrix) in known.items()):
        return None
    elements = {name: _element(closed, known[name][1]) or 0 for name in names}
    return closed.group, elements, _name(families, kept, closed)


def _name(families: Sequence[Family], kept: Sequence[str], closed: Closure) -> str:
    """The name of a continuous group if all its candidates are kept, otherwise the name of the finite group."""
    for family in families:
        if family.limits and all(transformation.name in kept for transformation in family.transformations):
            reflects = bool((torch.linalg.det(closed.elements) < 0).any())
            return family.limits[reflects]
    return closed.group.name


def _element(closed: Closure, matrix: Tensor) -> int | None:
    """The element with this matrix, or None."""
    distances = (closed.elements - matrix).flatten(1).norm(dim=1)
    return int(distances.argmin()) if float(distances.min()) < EQUAL else None


def _acts(group: Group, numbers: dict[str, int], families: Sequence[Family], samples: Tensor) -> bool:
    """Whether the transformations of samples differ, and have the products of the elements of the group."""
    known = {transformation.name: transformation for family in families for transformation in family.transformations}
    by_element = {element: known[name] for name, element in numbers.items()}
    generators = [by_element[element] for element in group.generator_elements]
    versions = {0: samples}
    for element, generator, earlier in group.tree:
        versions[element] = generators[generator](versions[earlier])
    if any(not _differ(versions[g], versions[h]) for g, h in combinations(range(group.order), 2)):
        return False
    products = product(zip(group.generator_elements, generators, strict=True), range(group.order))
    return not any(_differ(generator(versions[h]), versions[int(group.table[g, h])]) for (g, generator), h in products)


def _differ(first: Tensor, second: Tensor) -> bool:
    return float((first - second).norm()) > EQUAL * float(second.norm())
