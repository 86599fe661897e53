"""The group that matrices or permutations generate: they are multiplied until nothing new comes."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.groups.group import Group
from lgn.groups.words import default_names

TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Closure:
    """A group, and what its elements are: the result of closing some of them."""

    group: Group
    #: The matrices (order, d, d), or the permutations (order, n), of all elements, the identity first.
    elements: Tensor
    #: The largest distance, `||A - B||_F / ||B||_F`, at which a product was taken for an element that was there.
    error: float


def from_matrices(
    matrices: Sequence[Tensor] | Tensor,
    limit: int = 48,
    *,
    names: Sequence[str] | None = None,
    tolerance: float = TOLERANCE,
) -> Group:
    """The finite group that matrices generate under products; refused if more than `limit` come.

    Matrices that differ by less than `tolerance`, `||A - B||_F / ||B||_F`, are one element. Generators are called as
    in `names`, or a, b, ... `closure` gives the matrices of all elements too.
    """
    return closure(matrices, limit, names=names, tolerance=tolerance).group


def closure(
    matrices: Sequence[Tensor] | Tensor,
    limit: int = 48,
    *,
    names: Sequence[str] | None = None,
    tolerance: float = TOLERANCE,
) -> Closure:
    """The same with the matrix of every element.  matrices: (count, d, d); what is given twice, or is I, is left out"""
    given = torch.stack([torch.as_tensor(each).detach().double() for each in matrices])
    if given.ndim != 3 or given.shape[-1] != given.shape[-2] or not torch.isfinite(given).all():
        raise ValueError(f"matrices must be finite and square (count, d, d), got shape {tuple(given.shape)}")
    eye = torch.eye(given.shape[-1], dtype=given.dtype)
    elements, largest = eye[None], 0.0

    def place(matrix: Tensor) -> tuple[int, float]:
        """The nearest element and its distance."""
        distances = (elements - matrix).flatten(1).norm(dim=1) / elements.flatten(1).norm(dim=1)
        nearest = int(distances.argmin())
        return nearest, float(distances[nearest])

    kept: list[int] = []
    for number, matrix in enumerate(given):
        if place(matrix)[1] > tolerance:
            kept.append(number)
            elements = torch.cat([elements, matrix[None]])
    # Generators come first, and then what they make of each element: row a of the part of the table that is needed.
    steps: dict[tuple[int, int], int] = {}
    row = 0
    while row < len(elements):
        for a in range(1, len(kept) + 1):
            found, distance = place(elements[a] @ elements[row])
            if distance > tolerance:
                if len(elements) == limit:
                    raise ValueError(
                        f"matrices must generate a group of at most {limit} elements, got more: the nearest product is "
                        f"{distance:.2g} from an element, where the tolerance is {tolerance:g}"
                    )
                elements = torch.cat([elements, (elements[a] @ elements[row])[None]])
                found = len(elements) - 1
            else:
                largest = max(largest, distance)
            steps[a, row] = found
        row += 1
    group = _group(steps, len(elements), len(kept), _chosen(names, len(given), kept))
    return Closure(group, elements, largest)


def from_permutations(
    permutations: Sequence[Sequence[int]] | Tensor, limit: int = 48, *, names: Sequence[str] | None = None
) -> Closure:
    """The group that permutations generate, and all of them: `p` moves what is at place i to place `p[i]`.

    Exact. Shapes: (count, n) -> elements (order, n)
    """
    given = [tuple(int(i) for i in each) for each in permutations]
    n = len(given[0]) if given else 0
    if not given or any(sorted(each) != list(range(n)) for each in given):
        raise ValueError(f"permutations must have each of 0 to {n - 1} once, got {given[0] if given else 'none'}")
    elements = [tuple(range(n))]
    kept = []
    for number, each in enumerate(given):
        if each not in elements:
            kept.append(number)
            elements.append(each)
    places = {each: number for number, each in enumerate(elements)}
    steps: dict[tuple[int, int], int] = {}
    row = 0
    while row < len(elements):
        for a in range(1, len(kept) + 1):
            moved = tuple(elements[a][i] for i in elements[row])
            if moved not in places:
                if len(elements) == limit:
                    raise ValueError(f"permutations must generate a group of at most {limit} elements, got more")
                places[moved] = len(elements)
                elements.append(moved)
            steps[a, row] = places[moved]
        row += 1
    group = _group(steps, len(elements), len(kept), _chosen(names, len(given), kept))
    return Closure(group, torch.tensor(elements), 0.0)


def _chosen(names: Sequence[str] | None, given: int, kept: list[int]) -> tuple[str, ...]:
    if names is None:
        return default_names(len(kept))
    if len(names) != given:
        raise ValueError(f"names must be one for each of {given} generators, got {', '.join(names)}")
    return tuple(names[number] for number in kept)


def _group(steps: dict[tuple[int, int], int], order: int, generators: int, names: tuple[str, ...]) -> Group:
    """The group from what each generator makes of each element: `a h` for all a and h give `g h` along words."""
    rows: dict[int, list[int]] = {0: list(range(order))}
    new = [0]
    while new:
        h = new.pop()
        for a in range(1, generators + 1):
            g = steps[a, h]
            if g not in rows:
                rows[g] = [steps[a, k] for k in rows[h]]
                new.append(g)
    table = [rows[g] for g in range(order)]
    return Group(torch.tensor(table), names, tuple(range(1, generators + 1)))
