"""The finite group that matrices or permutations generate: they are multiplied until no product is new."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.groups.group import Group
from lgn.groups.words import default_names
from lgn.linalg import double, identity_like

TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Closure:
    """A group with the matrices or permutations of its elements."""

    group: Group
    #: The matrices (order, d, d) or the permutations (order, n) of all elements, the identity first.
    elements: Tensor
    #: The largest distance `||A - B||_F / ||B||_F` between a product A and the element B that it was identified with.
    error: float


def from_matrices(
    matrices: Sequence[Tensor] | Tensor,
    limit: int = 48,
    *,
    names: Sequence[str] | None = None,
    tolerance: float = TOLERANCE,
) -> Group:
    """The finite group that matrices generate; refused if it has more than `limit` elements.

    Matrices with a distance `||A - B||_F / ||B||_F` below `tolerance` are one element. The generators have the given
    names, or a, b, ...; `closure` returns the matrices of all elements too.
    """
    return closure(matrices, limit, names=names, tolerance=tolerance).group


def closure(
    matrices: Sequence[Tensor] | Tensor,
    limit: int = 48,
    *,
    names: Sequence[str] | None = None,
    tolerance: float = TOLERANCE,
) -> Closure:
    """The same with the matrix of every element; repeated matrices and the identity are no generators.

    Shapes: (count, d, d) -> elements (order, d, d) in float64
    """
    given = torch.stack([double(torch.as_tensor(matrix).detach()) for matrix in matrices])
    if given.ndim != 3 or given.shape[-1] != given.shape[-2] or not torch.isfinite(given).all():
        raise ValueError(f"matrices must be finite and square (count, d, d), got shape {tuple(given.shape)}")
    elements, largest = identity_like(given)[None], 0.0

    def nearest(matrix: Tensor) -> tuple[int, float]:
        distances = (elements - matrix).flatten(1).norm(dim=1) / elements.flatten(1).norm(dim=1)
        number = int(distances.argmin())
        return number, float(distances[number])

    def multiply(a: int, h: int) -> int:
        nonlocal elements, largest
        product = elements[a] @ elements[h]
        number, distance = nearest(product)
        if distance <= tolerance:
            largest = max(largest, distance)
            return number
        if len(elements) == limit:
            raise ValueError(
                f"matrices must generate a group of at most {limit} elements, got more: the nearest product is "
                f"{distance:.2g} from an element, where the tolerance is {tolerance:g}"
            )
        elements = torch.cat([elements, product[None]])
        return len(elements) - 1

    kept = []
    for number, matrix in enumerate(given):
        if nearest(matrix)[1] > tolerance:
            kept.append(number)
            elements = torch.cat([elements, matrix[None]])
    group = _generated(_names(names, len(given), kept), multiply)
    return Closure(group, elements, largest)


def from_permutations(
    permutations: Sequence[Sequence[int]] | Tensor, limit: int = 48, *, names: Sequence[str] | None = None
) -> Closure:
    """The group that permutations generate, with all its permutations; `p` moves the thing at place i to place `p[i]`.

    Shapes: (count, n) -> elements (order, n)
    """
    given = [tuple(int(i) for i in permutation) for permutation in permutations]
    n = len(given[0]) if given else 0
    if not given or any(sorted(permutation) != list(range(n)) for permutation in given):
        raise ValueError(
            f"permutations must have all numbers from 0 to {n - 1} once, got {given[0] if given else 'none'}"
        )
    elements = [tuple(range(n))]
    kept = []
    for number, permutation in enumerate(given):
        if permutation not in elements:
            kept.append(number)
            elements.append(permutation)
    numbers = {permutation: number for number, permutation in enumerate(elements)}

    def multiply(a: int, h: int) -> int:
        product = tuple(elements[a][i] for i in elements[h])
        if product not in numbers:
            if len(elements) == limit:
                raise ValueError(f"permutations must generate a group of at most {limit} elements, got more")
            numbers[product] = len(elements)
            elements.append(product)
        return numbers[product]

    group = _generated(_names(names, len(given), kept), multiply)
    return Closure(group, torch.tensor(elements), 0.0)


def _names(names: Sequence[str] | None, given: int, kept: list[int]) -> tuple[str, ...]:
    if names is None:
        return default_names(len(kept))
    if len(names) != given:
        raise ValueError(f"names must be {given}, one for each generator, got {', '.join(names)}")
    return tuple(names[number] for number in kept)


def _generated(names: tuple[str, ...], multiply: Callable[[int, int], int]) -> Group:
    """The group whose generators are the elements 1 to `len(names)`; `multiply` numbers new products consecutively."""
    steps: dict[tuple[int, int], int] = {}
    h, order = 0, len(names) + 1
    while h < order:
        for a in range(1, len(names) + 1):
            steps[a, h] = multiply(a, h)
            order = max(order, steps[a, h] + 1)
        h += 1
    # The row of `a h` in the table is the row of h, multiplied by a from the left.
    rows, new = {0: list(range(order))}, [0]
    while new:
        h = new.pop()
        for a in range(1, len(names) + 1):
            g = steps[a, h]
            if g not in rows:
                rows[g] = [steps[a, k] for k in rows[h]]
                new.append(g)
    return Group(torch.tensor([rows[g] for g in range(order)]), names, tuple(range(1, len(names) + 1)))


def generated_by(group: Group, elements: Iterable[int]) -> Group:
    """The same group, generated by as few of some elements as possible, those of highest order first: a, b, ..."""
    chosen: list[int] = []
    for element in sorted(set(elements) - {0}, key=lambda g: -group.element_orders[g]):
        if element not in group.subgroup(chosen).elements:
            chosen.append(element)
    return Group(group.table, default_names(len(chosen)), tuple(chosen))
