"""The algebra of the paper: `vec`, its inverse, the action of a generator, and orbits (Def. 1, eqs. 6-9).

Everything works on batches and is differentiable. `vec` stacks *columns*, as Definition 1 says: the vector of an
`(n, m)` filter has the entry `(i, j)` at place `j * n + i`. It is not the row-major `flatten`.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor


def vec(x: Tensor) -> Tensor:
    """Stack the columns of each matrix (eq. 6).  (..., n, m) -> (..., n * m)"""
    if x.ndim < 2:
        raise ValueError(f"x must have at least 2 dimensions (n, m), got shape {tuple(x.shape)}")
    return x.transpose(-2, -1).flatten(-2)


def unvec(v: Tensor, patch: tuple[int, int]) -> Tensor:
    """The inverse of `vec` for filters of shape `patch` (eq. 7).  (..., n * m) -> (..., n, m)"""
    n, m = patch
    if v.shape[-1] != n * m:
        raise ValueError(f"v must have a last dimension of {n * m} for a patch of {n}x{m}, got {v.shape[-1]}")
    return v.unflatten(-1, (m, n)).transpose(-2, -1)


def act(generator: Tensor, x: Tensor) -> Tensor:
    """The group action `phi_A(X) = unvec(A vec(X))` (eq. 8).

    Leading dimensions broadcast, so one generator can act on many filters; einsum then folds them into one product
    instead of repeating the generator.

    Shapes: (..., d, d), (..., n, m) -> (..., n, m)
    """
    _require_square(generator, x.shape[-2] * x.shape[-1])
    return unvec(apply(generator, vec(x)), (x.shape[-2], x.shape[-1]))


def orbit(generator: Tensor, basis: Tensor, order: int) -> Tensor:
    """The filter set `[W, phi_A(W), ..., phi_A^(p-1)(W)]` (eq. 9).

    By the chain `A(A(W))`, which costs p - 1 matrix-vector products; the powers of A are never formed.

    Shapes: (..., d, d), (..., n, m) -> (order, ..., n, m): the element comes first.
    """
    if order < 1:
        raise ValueError(f"order must be at least 1, got {order}")
    patch = (basis.shape[-2], basis.shape[-1])
    _require_square(generator, patch[0] * patch[1])
    chain = [(j, 0, j - 1) for j in range(1, order)]
    vectors = walk(lambda _, vector: apply(generator, vector), vec(basis), chain)
    # A generator with more leading dimensions than the basis widens the orbit from its second element on.
    return unvec(torch.stack(torch.broadcast_tensors(*vectors)), patch)


def walk(
    step: Callable[[int, Tensor], Tensor], first: Tensor, tree: Sequence[tuple[int, int, int]]
) -> tuple[Tensor, ...]:
    """The orbit of a vector under several generators, along a tree of words: one application for each element.

    The tree has a triple (element, generator's place, earlier element) for every element but the identity, which is
    0; `step(place, vector)` applies a generator. Vectors are returned in the order of the elements.
    """
    found = {0: first}
    for element, place, earlier in tree:
        found[element] = step(place, found[earlier])
    return tuple(found[element] for element in range(len(found)))


def power(generator: Tensor, exponent: int) -> Tensor:
    """`A^j` for a batch of generators; a negative exponent uses the inverse.  (..., d, d) -> (..., d, d)"""
    return torch.linalg.matrix_power(generator, exponent)


def matrix_of(map: Callable[[Tensor], Tensor], patch: tuple[int, int], dtype: torch.dtype = torch.float64) -> Tensor:
    """The matrix `A` with `phi_A = map`, for any linear map on `(n, m)` filters (Prop. 2, app. A).

    The map is given all basis filters at once, (d, n, m), and must return its image of each.
    """
    n, m = patch
    basis_filters = unvec(torch.eye(n * m, dtype=dtype), patch)
    return vec(map(basis_filters)).transpose(-2, -1).contiguous()


def apply(generator: Tensor, vectors: Tensor) -> Tensor:
    """`A v` for batches of both; leading dimensions broadcast.  (..., d, d), (..., d) -> (..., d)"""
    return torch.einsum("...ij,...j->...i", generator, vectors)


def _require_square(generator: Tensor, d: int) -> None:
    if generator.ndim < 2 or generator.shape[-2:] != (d, d):
        raise ValueError(f"generator must end in ({d}, {d}) to act on {d} pixels, got shape {tuple(generator.shape)}")
