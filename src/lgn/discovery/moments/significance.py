"""Unbiased squares of moments that are known by blocks of samples, with standard errors, and what chance violates."""

from collections.abc import Mapping

import torch
from torch import Tensor

Blocks = Mapping[int, Tensor]  # by degree: (blocks, classes, r, ..., r)

# Note [Block statistics]
# With T_b the moments of block b and D_b = O . T_b - T_b, the mean of <D_b, D_c> over b != c is unbiased for |D|^2,
# whatever the noise of a block is and however the samples in it depend on each other: noise adds to <D_b, D_b> alone.
# Its variance has two parts: that of a single product, over the number of pairs, and what the products of one block
# have in common; the second is zero where D is, and is never taken to be less than zero.


def block_statistic(products: Tensor) -> tuple[Tensor, Tensor]:
    """The mean of products of different blocks, and its standard error.  (..., B, B) -> (...), (...)"""
    blocks = products.shape[-1]
    pairs = blocks * (blocks - 1)
    off = ~torch.eye(blocks, dtype=torch.bool)
    mean = (products * off).sum((-2, -1)) / pairs
    left = (products - mean[..., None, None]) * off
    alone = left.square().sum((-2, -1)) / pairs
    # Products of pairs of blocks that share one: the square of a row's sum, without its own squares.
    shared = (left.sum(-1).square() - left.square().sum(-1)).sum(-1) / (pairs * (blocks - 2))
    variance = 2 * alone / pairs + 4 * (blocks - 2) / pairs * shared.clamp_min(0)
    return mean, variance.sqrt()


def products_by_direction(moments: Tensor) -> Tensor:
    """`<T_b, T_c>` of all pairs of blocks, apart for every value of the first index.

    Shapes: (B, classes, r, ..., r) -> (r, B, B)
    """
    flat = moments.flatten(3) if moments.ndim > 3 else moments.unsqueeze(3)
    return torch.einsum("bkix,ckix->ibc", flat, flat)


def power(blocks: Tensor) -> tuple[float, float]:
    """`|T|^2` of a moment, unbiased, and its standard error: with N samples, `N |T|^2` is signal over noise."""
    mean, error = block_statistic(products_by_direction(blocks).sum(0))
    return float(mean), float(error)


def weakest_direction(blocks: Blocks, samples: int) -> float:
    """Signal over noise of the direction that the moments of all degrees say least about."""
    total = sum(products_by_direction(each) for each in blocks.values())
    assert isinstance(total, Tensor)
    return float(block_statistic(total)[0].min()) * len(total) * samples / len(blocks)


def generic_violation(matrix: Tensor, degree: int) -> float:
    """The violation of a map with the same eigenvalues, placed at random: `(1 - chi_l(O) / chi_l(I)) / 2`.

    chi_l is the character of harmonic tensors of order l, from the traces of powers of O.
    """
    r = matrix.shape[0]
    power_, traces = torch.eye(r, dtype=matrix.dtype), [float(r)]
    for _ in range(degree):
        power_ = power_ @ matrix
        traces.append(float(power_.trace()))
    symmetric, sizes = [1.0], [1.0]  # characters of symmetric powers, by Newton's identities
    for k in range(1, degree + 1):
        symmetric.append(sum(traces[i] * symmetric[k - i] for i in range(1, k + 1)) / k)
        sizes.append(sizes[-1] * (r + k - 1) / k)
    character, size = symmetric[degree], sizes[degree]
    if degree > 1:
        character, size = character - symmetric[degree - 2], size - sizes[degree - 2]
    return (1 - character / size) / 2
