"""The linear map between patches before and after: from pairs (x, g x)."""

import torch
from torch import Tensor

from lgn.actions import vec
from lgn.discovery.filters.noise import TOLERANCE
from lgn.discovery.filters.record import Fit
from lgn.discovery.filters.trivial import trivial_prediction
from lgn.linalg import double, least_squares
from lgn.measures import total_error


def fit_from_pairs(x: Tensor, gx: Tensor, *, held_out: float = 0.25, shuffles: int = 99, seed: int = 0) -> Fit:
    """Fit the matrix A with `vec(g x) = A vec(x)` to pairs of patches before and after (sec. 5.2).

    The share `held_out` of the pairs judges A: `fit.found` if A explains at least a twentieth of the residual of the
    best trivial map (`fit.effect`), and more than in 95 of 100 pairings in which this residual belongs to another x
    (`fit.p_value`). The identity is trivial. See Note [Trivial maps]. Channels are further pairs.

    Shapes: two of (N, n, m) or (N, C, n, m) -> matrix (d, d)
    """
    before, after = _vectors(x, gx, held_out, shuffles)
    count = len(before) - int(held_out * len(before))
    random = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(before), generator=random)
    before, after = before[order], after[order]
    matrix = least_squares(before[:count], after[:count], ridge=TOLERANCE**2)
    residual = total_error(before[count:] @ matrix.T, after[count:])
    trivial = trivial_prediction(before, after, count)
    rest = after - trivial
    # One factorisation serves every pairing, because the map is linear in the g x to which it is fitted.
    inverse = torch.linalg.pinv(before[:count], rtol=TOLERANCE)  # (d, fitted)
    fitted_as_well = 1
    for _ in range(shuffles):
        shuffled = rest[torch.randperm(len(rest), generator=random)]
        predicted = before[count:] @ (inverse @ shuffled[:count])
        # Both predictions contain the trivial part, so it is left out of both residuals.
        left = (shuffled[count:] - predicted).norm() / (trivial[count:] + shuffled[count:]).norm().clamp_min(1e-300)
        fitted_as_well += int(left <= residual + 1e-9)
    values = torch.linalg.svdvals(before)
    return Fit(
        method="pairs",
        matrices=matrix[None],
        group=None,
        residual=residual,
        trivial_residual=total_error(trivial[count:], after[count:]),
        p_value=fitted_as_well / (1 + shuffles),
        identifiable_dimension=int((values > TOLERANCE * values[0].clamp_min(torch.finfo(values.dtype).tiny)).sum()),
    )


def _vectors(x: Tensor, gx: Tensor, held_out: float, shuffles: int) -> tuple[Tensor, Tensor]:
    """All patches of all channels as rows, after the arguments were checked.  -> (N, d), (N, d)"""
    if x.shape != gx.shape or x.ndim not in (3, 4):
        raise ValueError(f"x and gx must both be (N, n, m) or (N, C, n, m), got {tuple(x.shape)} and {tuple(gx.shape)}")
    if not 0 < held_out < 1:
        raise ValueError(f"held_out must lie between 0 and 1, got {held_out}")
    if shuffles < 1:
        raise ValueError(f"shuffles must be at least 1, got {shuffles}")
    if not (torch.isfinite(x).all() and torch.isfinite(gx).all()):
        raise ValueError("x and gx must be finite, got infinities or NaN")
    before, after = (vec(double(patches).cpu()).flatten(0, -2) for patches in (x, gx))
    held = int(held_out * len(before))
    if held < 1 or len(before) - held < 2:
        raise ValueError(f"x must have at least 2 pairs to fit and 1 pair to hold out, got {len(before)} pairs")
    return before, after
