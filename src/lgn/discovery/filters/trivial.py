"""What relates two patches without any symmetry: the patch itself, and one number that both share."""

import torch
from torch import Tensor

TOLERANCE = 1e-6
ROUNDS = 50

# Note [Trivial maps]
# Two patches that share their brightness and nothing else are related, linearly and beyond all chance: g x is predicted
# by one number of x times a mean patch. So are a patch and itself with noise, best by taking back the directions in
# which the x hardly vary. None of this is a symmetry. Trivial is therefore
#     g x = b + C x + m w^T x,
# with C diagonal in the principal directions of the x, all its numbers of one sign (the patch again, or its negative,
# freed of noise), and one number w^T x times one patch m; the b, C, m and w that predict best. A map is found by what
# it explains of the rest; and chance is what it explains if the rest is dealt to other pairs.


def trivial_prediction(before: Tensor, after: Tensor, count: int) -> Tensor:
    """What the trivial map that suits the first `count` pairs best says of all.  (N, d), (N, d) -> (N, d)"""
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
    """`C own + u m^T` nearest to the target, C diagonal and of one sign, by turns of C and of u.  (r, d) -> (r, d)

    For a given u the best m follows, and C is best on what is orthogonal to u; `own own^T` is diagonal.
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
