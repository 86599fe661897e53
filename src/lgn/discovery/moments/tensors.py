"""Harmonic moments: the mean of the spherical harmonics of the directions `z / |z|`, as symmetric traceless tensors."""

from itertools import combinations, pairwise

import torch
from torch import Tensor

#: The number of blocks of samples: enough for a standard error, few enough for tensors of third order.
BLOCKS = 32
#: The largest number of entries of an outer product in memory.
CHUNK = 2**25

# Note [Directions]
# An orthogonal O preserves |z|. A symmetry of z therefore preserves the moments of u = z / |z|, which are bounded, and
# every sample has the same weight. (On CIFAR-10 this halves the noise of the third moments.) Tensors of order l contain
# several representations of the orthogonal group; only the traceless part is new at order l. Its kernel
#     k_l(u . v) = <h_l(u), h_l(v)>,   k_1 = t,  k_2 = (r t^2 - 1) / (r - 1),  k_3 = ((r + 2) t^3 - 3 t) / (r - 1)
# is scaled to k_l(1) = 1, so the squared noise of a mean of N samples is 1 / N at every l.


def directions(z: Tensor) -> Tensor:
    """`z / |z|`, and zero for zero.  (N, r) -> (N, r)"""
    return z / z.norm(dim=1, keepdim=True).clamp_min(torch.finfo(z.dtype).tiny)


def harmonic_moment(u: Tensor, degree: int) -> Tensor:
    """The sum of `h_l(u)` over samples, a symmetric traceless tensor of order l.  (N, r) -> (r, ..., r)"""
    r = u.shape[1]
    if degree == 1:
        return u.sum(0)
    if degree == 4:
        return traceless(_fourth(u))
    raw = u.new_zeros(r, r ** (degree - 1))
    for part in u.split(max(1, CHUNK // r ** (degree - 1))):
        raw += part.T @ (part if degree == 2 else (part.unsqueeze(2) * part.unsqueeze(1)).flatten(1))
    return traceless(raw.view((r,) * degree))


def _fourth(u: Tensor) -> Tensor:
    """`sum u_i u_j u_k u_l` from the products of different pairs, a quarter of the work.  (N, r) -> (r, r, r, r)"""
    r = u.shape[1]
    rows, columns = torch.triu_indices(r, r)
    gram = u.new_zeros(len(rows), len(rows))
    for part in u.split(max(1, CHUNK // len(rows))):
        pairs = part[:, rows] * part[:, columns]
        gram += pairs.T @ pairs
    place = torch.empty(r, r, dtype=torch.long)
    place[rows, columns] = place[columns, rows] = torch.arange(len(rows))
    return gram[place.flatten()][:, place.flatten()].view(r, r, r, r)


def traceless(raw: Tensor) -> Tensor:
    """The traceless part of a symmetric tensor of order 2, 3 or 4, scaled to norm 1 for `u (x) ... (x) u`, |u| = 1."""
    r, degree = raw.shape[0], raw.ndim
    eye, trace = torch.eye(r, dtype=raw.dtype), raw.diagonal(dim1=-2, dim2=-1).sum(-1)
    result = raw - _over_pairs(trace, eye) / (r + 2 * degree - 4)
    if degree == 4:  # every product of two identities appears twice
        result = result + _over_pairs(eye, eye) / 2 * trace.trace() / ((r + 2) * (r + 4))
    return result * {2: r / (r - 1), 3: (r + 2) / (r - 1), 4: (r + 2) * (r + 4) / (r**2 - 1)}[degree] ** 0.5


def _over_pairs(tensor: Tensor, eye: Tensor) -> Tensor:
    """The sum of `t_... delta_ab` over all pairs a < b of the axes of the product."""
    product = tensor[..., None, None] * eye
    moved = [product.movedim((-2, -1), pair) for pair in combinations(range(product.ndim), 2)]
    return torch.stack(moved).sum(0)


def on_axis(matrix: Tensor, tensor: Tensor, axis: int) -> Tensor:
    """A matrix applied to one axis of a tensor.  (r, r), (..., r, ...) -> the same"""
    return torch.movedim(torch.tensordot(tensor, matrix, dims=([axis], [1])), -1, axis)


def rotate(matrix: Tensor, tensor: Tensor, degree: int) -> Tensor:
    """`(O . T)_ij... = sum O_ia O_jb ... T_ab...` on the last `degree` axes; the others are a batch.

    Shapes: (r, r), (..., r, ..., r) -> the same
    """
    for axis in range(-degree, 0):
        tensor = on_axis(matrix, tensor, axis)
    return tensor


def derive(skew: Tensor, tensor: Tensor, degree: int) -> Tensor:
    """`L . T`, the derivative of `exp(tL) . T` at 0: the sum of L on every axis.  As `rotate`."""
    total = torch.zeros_like(tensor)
    for axis in range(-degree, 0):
        total = total + on_axis(skew, tensor, axis)
    return total


def block_moments(u: Tensor, block: Tensor, degree: int, labels: Tensor | None = None, classes: int = 1) -> Tensor:
    """Moments by block of samples, `sum_n 1[y_n = c] h_l(u_n) / n`.

    Shapes: u (N, r), block numbers (N,), labels (N,) -> (BLOCKS, classes, r, ..., r)
    """
    order = block.argsort(stable=True)
    edges = [0, *torch.bincount(block, minlength=BLOCKS).cumsum(0).tolist()]
    size = len(u) / BLOCKS
    blocks = []
    for first, last in pairwise(edges):
        inside = order[first:last]
        parts = [inside] if labels is None else [inside[labels[inside] == c] for c in range(classes)]
        blocks.append(torch.stack([harmonic_moment(u[part], degree) for part in parts]) / size)
    return torch.stack(blocks)
