"""The dimensions of a generator that noisy filters determine: those above the noise that the residual implies."""

from typing import NamedTuple

import torch
from torch import Tensor

# Singular values below this share of the largest are rounding errors: filters of trained networks are float32.
TOLERANCE = 1e-6

# Note [The edge of noise]
# If filters are B + E, with independent noise of standard deviation sigma in every entry, then pairs (x, y = A x) have
# noise on both sides: Y - A X = E_+ - A E_-, whose columns have the covariance sigma^2 (I + A A^T). Least squares on
# all r dimensions of X leaves |R|^2 = sigma^2 (pairs - r) (d + |A|_F^2), which determines sigma. Noise alone has
# singular values up to the edge sigma (sqrt(d) + sqrt(pairs)). A direction of X below the edge may be noise, and A is
# arbitrary there, however well X determines it by rank. |A|_F is known on the directions above the edge only.
# Directions are therefore included one by one, from the largest, as long as they are above the edge that the directions
# before them imply. If there are not more pairs than dimensions, there is no residual, and the rank counts.


class Determined(NamedTuple):
    """The dimensions and matrix entries that pairs determine, for every generator."""

    dimension: Tensor
    #: The noise of an entry of the filters, as a share of their root mean square; NaN without a residual.
    noise: Tensor
    #: Combinations of pairs that are more than noise, orthonormal or zero, (..., d or pairs, pairs).
    seen: Tensor
    #: The standard errors of the entries of `A P_U` in least squares, (..., d, d); infinite without a residual.
    standard_errors: Tensor


def determined_directions(before: Tensor, after: Tensor, noisy: bool = True) -> Determined:
    """The identifiable subspace U and the standard errors on it; the residual is noise if `noisy`.

    `Var A_ab = s_a^2 [(X X^T)^+]_bb` with s_a^2 the variance of the residual in pixel a, `|R_a|^2 / (pairs - dim U)`.
    See Note [The edge of noise].

    Shapes: (..., d, pairs), (..., d, pairs) -> dimension and noise (...), seen (..., d or pairs, pairs)
    """
    d, pairs = before.shape[-2:]
    u, s, vh = torch.linalg.svd(before, full_matrices=False)
    real = s > TOLERANCE * s[..., :1]
    rows = vh * real.unsqueeze(-1)
    freedom = (pairs - real.sum(-1)).double()  # degrees of freedom of the residual
    left = (after - after @ rows.mT @ rows).flatten(-2).norm(dim=-1)
    inverse = torch.where(real, 1 / s, torch.zeros_like(s))
    size = (after @ rows.mT * inverse.unsqueeze(-2)).square().sum(-2).cumsum(-1)  # |A|_F^2 on the first dimensions
    before_it = torch.cat([torch.zeros_like(size[..., :1]), size[..., :-1]], -1)
    sigma = left.unsqueeze(-1) / (freedom.clamp_min(1).unsqueeze(-1) * (d + before_it)).sqrt()
    unknown = freedom == 0
    above = s > sigma * (d**0.5 + pairs**0.5)
    kept = (real & above).cumprod(-1).bool() if noisy else real
    kept = torch.where(unknown.unsqueeze(-1), real, kept)
    dimension = kept.sum(-1)
    seen = vh * kept.unsqueeze(-1)
    total = torch.cat([torch.zeros_like(size[..., :1]), size], -1).gather(-1, dimension.unsqueeze(-1)).squeeze(-1)
    scale = before.square().mean((-2, -1)).sqrt().clamp_min(torch.finfo(before.dtype).tiny)
    noise = left / (freedom.clamp_min(1) * (d + total)).sqrt() / scale
    residual = (after - after @ seen.mT @ seen).square().sum(-1) / (pairs - dimension).clamp_min(1).unsqueeze(-1)
    columns = (u * (inverse * kept).unsqueeze(-2)).square().sum(-1)  # (..., d): the diagonal of (X X^T)^+
    errors = (residual.unsqueeze(-1) * columns.unsqueeze(-2)).sqrt()
    return Determined(
        dimension, noise.masked_fill(unknown, torch.nan), seen, errors.masked_fill(unknown[..., None, None], torch.inf)
    )
