"""The algebra of the paper: `vec`, its inverse, the action of a generator, and orbits (Def. 1, eqs. 6-9).

All functions work on batches and are differentiable. `vec` stacks *columns*, as in Definition 1: entry `(i, j)` of an
`(n, m)` filter is entry `j * n + i` of its vector. This is not the row-major `flatten`. For any number of axes, the
first axis is the fastest: a filter `(n,)` for signals is its own vector, and entry `(i, j, k)` of a filter `(n, m, l)`
for volumes is entry `(k * m + j) * n + i` of its vector.
"""

import itertools
import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

#: The size of a filter: (n,) for signals, (n, m) for images, (n, m, l) for volumes.
Patch = tuple[int, ...]


def vec(x: Tensor, axes: int = 2) -> Tensor:
    """Stack the columns of each matrix (eq. 6); for another number of `axes`, with the first axis fastest.

    Shapes: (..., n, m) -> (..., n * m);  axes=1: (..., n) -> (..., n);  axes=3: (..., n, m, l) -> (..., n * m * l)
    """
    if x.ndim < axes:
        sizes = ", ".join("nml"[:axes])
        raise ValueError(f"x must have at least {axes} dimensions ({sizes}), got shape {tuple(x.shape)}")
    return _reversed(x, axes).flatten(-axes)


def unvec(v: Tensor, patch: Patch) -> Tensor:
    """The inverse of `vec` for filters of shape `patch` (eq. 7).  (..., n * m) -> (..., n, m)"""
    if v.shape[-1] != (d := math.prod(patch)):
        raise ValueError(f"v must have a last dimension of {d} for a patch of {size_text(patch)}, got {v.shape[-1]}")
    return _reversed(v.unflatten(-1, patch[::-1]), len(patch))


def act(generator: Tensor, x: Tensor, axes: int = 2) -> Tensor:
    """The group action `phi_A(X) = unvec(A vec(X))` (eq. 8).

    Leading dimensions broadcast, so a generator can act on many filters, in one product.

    Shapes: (..., d, d), (..., n, m) -> (..., n, m), or the given number of `axes`
    """
    patch = tuple(x.shape[x.ndim - axes :])
    _require_square(generator, math.prod(patch))
    return unvec(apply(generator, vec(x, axes)), patch)


def orbit(generator: Tensor, basis: Tensor, order: int, axes: int = 2) -> Tensor:
    """The filter set `[W, phi_A(W), ..., phi_A^(p-1)(W)]` (eq. 9).

    It is computed as `A(A(W))`, which costs p - 1 matrix-vector products; the powers of A are not computed.

    Shapes: (..., d, d), (..., n, m) -> (order, ..., n, m), or the given number of `axes`
    """
    if order < 1:
        raise ValueError(f"order must be at least 1, got {order}")
    patch = tuple(basis.shape[basis.ndim - axes :])
    _require_square(generator, math.prod(patch))
    chain = [(j, 0, j - 1) for j in range(1, order)]
    vectors = walk(lambda _, vector: apply(generator, vector), vec(basis, axes), chain)
    # If the generator has more leading dimensions than the basis, the first element is broadcast too.
    return unvec(torch.stack(torch.broadcast_tensors(*vectors)), patch)


def walk(
    step: Callable[[int, Tensor], Tensor], first: Tensor, tree: Sequence[tuple[int, int, int]]
) -> tuple[Tensor, ...]:
    """The orbit of a vector under the generators of a group, with one application of a generator per element.

    `tree` has a triple (element, number of the generator, earlier element) for every element but the identity, which is
    0 (see `lgn.groups.Group.tree`); `step(number, vector)` applies a generator. The vectors are in the order of the
    elements.
    """
    found = {0: first}
    for element, place, earlier in tree:
        found[element] = step(place, found[earlier])
    return tuple(found[element] for element in range(len(found)))


def power(generator: Tensor, exponent: int) -> Tensor:
    """`A^j` for a batch of generators; a negative exponent uses the inverse.  (..., d, d) -> (..., d, d)"""
    return torch.linalg.matrix_power(generator, exponent)


def matrix_of(map: Callable[[Tensor], Tensor], patch: Patch, dtype: torch.dtype = torch.float64) -> Tensor:
    """The matrix `A` with `phi_A = map`, for any linear map on filters of one patch size (Prop. 2, app. A).

    The map is called once, with all unit filters (d, n, m).
    """
    basis_filters = unvec(torch.eye(math.prod(patch), dtype=dtype), patch)
    return vec(map(basis_filters), len(patch)).transpose(-2, -1).contiguous()


def apply(generator: Tensor, vectors: Tensor) -> Tensor:
    """`A v` for batches of both; leading dimensions broadcast.  (..., d, d), (..., d) -> (..., d)"""
    return torch.einsum("...ij,...j->...i", generator, vectors)


def _require_square(generator: Tensor, d: int) -> None:
    if generator.ndim < 2 or generator.shape[-2:] != (d, d):
        raise ValueError(f"generator must end in ({d}, {d}) to act on {d} pixels, got shape {tuple(generator.shape)}")


def pixels(patch: Patch) -> Tensor:
    """The coordinates of every pixel, in the order of `vec`.  -> (d, axes), integers"""
    along = torch.stack(torch.meshgrid(*map(torch.arange, patch), indexing="ij"))  # (axes, n, m)
    return vec(along, len(patch)).T.contiguous()


def signed_permutations(axes: int) -> Tensor:
    """The symmetries of a segment, square or cube as matrices on coordinates: permuted and reversed axes.

    The identity is first.

    Shapes: -> (2^axes * axes!, axes, axes) float64
    """
    eye = torch.eye(axes, dtype=torch.float64)
    orders = [eye[list(order)] for order in itertools.permutations(range(axes))]
    signs = [torch.tensor(sign, dtype=torch.float64) for sign in itertools.product((1, -1), repeat=axes)]
    return torch.stack([sign[:, None] * order for order in orders for sign in signs])


def size_text(patch: Patch) -> str:
    """The size of a patch as text: "6x6", or "9" for signals."""
    return "x".join(map(str, patch))


def _reversed(x: Tensor, axes: int) -> Tensor:
    """The last `axes` in reverse order."""
    leading = x.ndim - axes
    return x.permute(*range(leading), *reversed(range(leading, x.ndim)))
