"""Unbiased squares of moments that are known by blocks of samples, their standard errors, and violations by chance."""

from collections.abc import Mapping

import torch
from torch import Tensor

from lgn import stats

#: Moments by degree, (blocks, classes, r, ..., r).
Blocks = Mapping[int, Tensor]
#: The significance level of one half: two halves find maps, and share the level of the answer.
LEVEL = stats.LEVEL / 2

# Note [Block statistics]
# Let T_b be the moments of block b, and D_b = O . T_b - T_b. The mean of <D_b, D_c> over b != c is an unbiased estimate
# of |D|^2, whatever the noise of a block is and however its samples depend on each other: noise adds to <D_b, D_b>
# alone. Its variance has two parts: the variance of a single product over the number of pairs, and the covariance of
# products that share a block. The second part is zero if D is, and its estimate is never taken to be negative.


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
    """The violation of a map with the same eigenvalues at a random place: `(1 - chi_l(O) / chi_l(I)) / 2`.

    chi_l is the character of harmonic tensors of order l, computed from the traces of powers of O.
    """
    r = matrix.shape[0]
    product, traces = torch.eye(r, dtype=matrix.dtype), [float(r)]
    for _ in range(degree):
        product = product @ matrix
        traces.append(float(product.trace()))
    symmetric, sizes = [1.0], [1.0]  # characters of symmetric powers, by Newton's identities
    for k in range(1, degree + 1):
        symmetric.append(sum(traces[i] * symmetric[k - i] for i in range(1, k + 1)) / k)
        sizes.append(sizes[-1] * (r + k - 1) / k)
    character, size = symmetric[degree], sizes[degree]
    if degree > 1:
        character, size = character - symmetric[degree - 2], size - sizes[degree - 2]
    return (1 - character / size) / 2
