"""The group of what is kept: elements that lie in a continuous family are one, and what remains is closed."""

from collections.abc import Sequence

import torch
from torch import Tensor

from lgn import groups
from lgn.discovery.moments.lie import nearest_in_group
from lgn.discovery.moments.result import Element, GroupFound, LieGenerator

SAME = 0.35  # relative distance under which a product is an element that is there


def outside(some: Tensor, algebra: Sequence[LieGenerator]) -> Tensor:
    """Of maps, one from each coset of the connected group that the generators make; none from itself.

    Shapes: (count, r, r) -> (left, r, r)
    """
    kept = [each.inner for each in algebra if each.verdict == "kept"]
    if not kept or not len(some):
        return some
    basis = torch.stack(kept)
    left: list[Tensor] = []
    for matrix in some:
        earlier = [torch.eye(matrix.shape[0], dtype=matrix.dtype), *left]
        if all(nearest_in_group(each.T @ matrix, basis) > SAME for each in earlier):
            left.append(matrix)
    return torch.stack(left) if left else some[:0]


def group_of(elements: Sequence[Element], algebra: Sequence[LieGenerator]) -> GroupFound:
    """The group of the kept elements: closed under products where they close, its name, and a continuous factor."""
    continuous = sum(each.verdict == "kept" for each in algebra)
    kept = [each.inner for each in elements if each.verdict == "kept"]
    name: str = "trivial"
    order: int | None = 1
    if kept and continuous:
        name, order = f"{len(kept) + 1} components", None
    elif kept:
        try:
            finite = groups.from_matrices(kept, tolerance=SAME)
            name, order = finite.name, finite.order
        except ValueError:  # products go on: errors add up, or elements are missing
            name, order = f"at least {len(kept) + 1} elements", None
    if continuous:
        circle = "a circle" if continuous == 1 else f"a Lie algebra of dimension {continuous}"
        name = circle if not kept else f"{circle}, {name}"
    return GroupFound(name, None if continuous else order)
