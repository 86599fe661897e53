"""Harmonic moments: means of the spherical harmonics of `z / |z|`, as symmetric traceless tensors, in blocks."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import torch
from torch import Tensor

from lgn import stats

#: The number of blocks of samples: enough for a standard error, few enough for tensors of third order.
BLOCKS = 32
#: The largest number of entries of an outer product in memory.
CHUNK = 2**25

#: Moments by degree, (blocks, classes, r, ..., r).
Blocks = Mapping[int, Tensor]
#: The image of every class under a map.
Classes = tuple[int, ...]
#: The significance level of one half: the maps of both halves share the level of the answer.
LEVEL = stats.LEVEL / 2

# Note [Directions]
# An orthogonal O preserves |z|, so a symmetry of z preserves the moments of u = z / |z|. All samples have one weight
# there. (On CIFAR-10 this halves the noise of the third moments.) The traces of a moment of order l are moments of
# order l - 2, so only the traceless part h_l is used. Its kernel
#     k_l(u . v) = <h_l(u), h_l(v)>,   k_1 = t,  k_2 = (r t^2 - 1) / (r - 1),  k_3 = ((r + 2) t^3 - 3 t) / (r - 1)
# is scaled to k_l(1) = 1, so the squared noise of a mean of N samples is 1 / N at every l.

# Note [Block statistics]
# Let T_b be the moments of block b, and D_b = O . T_b - T_b. The mean of <D_b, D_c> over b != c is an unbiased estimate
# of |D|^2 for any noise within the blocks. Its variance has two parts: the variance of one product over the number of
# pairs, and the covariance of products that share a block. The second part is zero if D is zero, so a negative estimate
# of it counts as zero.


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
    return sum((on_axis(skew, tensor, axis) for axis in range(-degree, 0)), torch.zeros_like(tensor))


def permuted(moments: Mapping[int, Tensor], classes: Classes | None, axis: int = 0) -> Mapping[int, Tensor]:
    """The moments of class `classes[c]` at index c; moments of all classes together stay as they are."""
    if classes is None:
        return moments
    index = torch.tensor(classes)
    return {
        degree: tensor.index_select(axis, index) if tensor.shape[axis] == len(index) else tensor
        for degree, tensor in moments.items()
    }


def block_moments(u: Tensor, block: Tensor, degree: int, labels: Tensor | None = None, classes: int = 1) -> Tensor:
    """Moments by block of samples, `sum_n 1[y_n = c] h_l(u_n) / n`.

    Shapes: u (N, r), block numbers (N,), labels (N,) -> (BLOCKS, classes, r, ..., r)
    """
    size, blocks = len(u) / BLOCKS, []
    for inside in block.argsort(stable=True).split(torch.bincount(block, minlength=BLOCKS).tolist()):
        parts = [inside] if labels is None else [inside[labels[inside] == c] for c in range(classes)]
        blocks.append(torch.stack([harmonic_moment(u[part], degree) for part in parts]) / size)
    return torch.stack(blocks)


def block_statistic(products: Tensor) -> tuple[Tensor, Tensor]:
    """The mean of products of different blocks, and its standard error.  (..., B, B) -> (...), (...)"""
    blocks = products.shape[-1]
    pairs = blocks * (blocks - 1)
    off = ~torch.eye(blocks, dtype=torch.bool)
    mean = (products * off).sum((-2, -1)) / pairs
    rest = (products - mean[..., None, None]) * off
    alone = rest.square().sum((-2, -1)) / pairs
    # Products of two pairs with a common block: the square of the sum of a row, without its own squares.
    shared = (rest.sum(-1).square() - rest.square().sum(-1)).sum(-1) / (pairs * (blocks - 2))
    variance = 2 * alone / pairs + 4 * (blocks - 2) / pairs * shared.clamp_min(0)
    return mean, variance.sqrt()


def products_by_direction(moments: Tensor) -> Tensor:
    """`<T_b, T_c>` of all pairs of blocks, for every value of the first index.

    Shapes: (B, classes, r, ..., r) -> (r, B, B)
    """
    flat = moments.reshape(*moments.shape[:3], -1)
    return torch.einsum("bkix,ckix->ibc", flat, flat)


def power(blocks: Tensor) -> tuple[float, float]:
    """`|T|^2` of a moment, unbiased, and its standard error; `N |T|^2` is the signal-to-noise ratio of N samples."""
    mean, error = block_statistic(products_by_direction(blocks).sum(0))
    return float(mean), float(error)


def is_visible(blocks: Tensor) -> bool:
    """Whether a moment differs from zero."""
    size, error = power(blocks)
    return size > stats.student_quantile(1 - LEVEL, len(blocks) - 1) * error


def weakest_direction(blocks: Blocks, samples: int) -> float:
    """The smallest signal-to-noise ratio of a direction, of the moments of all degrees together."""
    total = torch.stack([products_by_direction(tensor) for tensor in blocks.values()]).sum(0)
    return float(block_statistic(total)[0].min()) * len(total) * samples / len(blocks)


def generic_violation(matrix: Tensor, degree: int) -> float:
    """The violation of a random map with the same eigenvalues: `(1 - chi_l(O) / chi_l(I)) / 2`.

    chi_l is the character of harmonic tensors of order l, computed from the traces of powers of O.
    """
    traces = [float(torch.linalg.matrix_power(matrix, exponent).trace()) for exponent in range(1, degree + 1)]
    return (1 - _character(traces) / _character([float(len(matrix))] * degree)) / 2


def _character(traces: Sequence[float]) -> float:
    """From the traces of the first l powers, by Newton's identities for symmetric powers."""
    symmetric, degree = [1.0], len(traces)
    for k in range(1, degree + 1):
        symmetric.append(sum(traces[i] * symmetric[k - 1 - i] for i in range(k)) / k)
    return symmetric[degree] - (symmetric[degree - 2] if degree > 1 else 0.0)
