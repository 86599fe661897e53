"""The best map between patches that needs no symmetry: the patch itself, and one number that both patches share."""

import torch
from torch import Tensor

from lgn.discovery.filters.noise import TOLERANCE

ROUNDS = 50

# Note [Trivial maps]
# Two patches that share nothing except their brightness are related, linearly and far beyond chance: one number of x
# times a mean patch predicts g x. A patch and a noisy copy of it are also related; the best prediction shrinks the
# directions in which the x hardly vary. Neither is a symmetry. The trivial maps are therefore
#     g x = b + C x + m w^T x,
# where C is diagonal in the principal directions of the x with entries of one sign (the patch again, or its negative,
# without noise), and the number w^T x multiplies one patch m. The b, C, m and w that predict best are used. A map is
# found if it explains a part of the rest; chance is the part that it explains if the rest is dealt to other pairs.


def trivial_prediction(before: Tensor, after: Tensor, count: int) -> Tensor:
    """The prediction for all pairs by the trivial map that is best on the first `count` pairs.

    Shapes: (N, d), (N, d) -> (N, d)
    """
    middle, mean = before[:count].mean(0), after[:count].mean(0)
    left, lengths, right = torch.linalg.svd(before[:count] - middle, full_matrices=False)
    kept = lengths > TOLERANCE * lengths[0].clamp_min(torch.finfo(lengths.dtype).tiny)
    left, lengths, right = left[:, kept], lengths[kept].unsqueeze(1), right[kept]
    if not len(lengths):
        return mean.expand_as(after)
    target = left.T @ (after[:count] - mean)  # what the x can predict, in their principal directions: (r, d)
    own = lengths * right  # the x themselves
    best = min((_fit(target, own, sign) for sign in (1, -1)), key=lambda fit: float((target - fit).square().sum()))
    return mean + (before - middle) @ right.T @ (best / lengths)


def _fit(target: Tensor, own: Tensor, sign: int) -> Tensor:
    """`C own + u m^T` nearest to the target, with C diagonal and of one sign, by rounds of C and u.  (r, d) -> (r, d)

    The best m follows from u, and C is best on the orthogonal complement of u, since `own own^T` is diagonal.
    """
    size = own.square().sum(1)
    gains = torch.zeros_like(size)
    for _ in range(ROUNDS):
        u = torch.linalg.svd(target - gains.unsqueeze(1) * own, full_matrices=False)[0][:, 0]
        orthogonal = target - torch.outer(u, u @ target)
        gains = (orthogonal * own).sum(1) / (size * (1 - u.square())).clamp_min(1e-9 * size[0])
        gains = sign * (sign * gains).clamp_min(0)
    rest = target - gains.unsqueeze(1) * own
    u, s, vh = torch.linalg.svd(rest, full_matrices=False)
    return target - rest + s[0] * torch.outer(u[:, 0], vh[0])
