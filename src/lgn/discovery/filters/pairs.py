"""The linear map between what was seen before and after: from pairs (x, g x)."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.actions import vec
from lgn.discovery.filters.trivial import trivial_prediction
from lgn.linalg import least_squares

SIGNIFICANCE = 0.05
EFFECT = 0.05  # the share of what a trivial map leaves that one must explain to be found: sure is not enough
TOLERANCE = 1e-6  # of the largest singular value: below it a direction was not seen


@dataclass(frozen=True, eq=False)
class PairFit:
    """A map fitted to one part of the pairs and judged on the other; not `found`, there is no more than a trivial one.

    Trivial is what gives the patch itself, freed of noise, and one shared number, such as brightness: see Note [Trivial
    maps] in `lgn.discovery.filters.trivial`.
    """

    #: (d, d)
    matrix: Tensor
    #: `|g x - A x| / |g x|` on the pairs that were held out.
    residual: float
    #: How many dimensions the x span; below d, A is known there alone.
    identifiable_dimension: int
    #: The share of pairings, with what is trivial left in place, that are predicted as well.
    p_value: float
    #: Singular values of the x, as shares of the largest: the drop in them decides the dimension.
    singular_values: tuple[float, ...]
    #: The factor from the last singular value that counts to the first that does not.
    eigengap: float
    #: What the best trivial map leaves of the pairs that were held out.
    trivial_residual: float

    @property
    def effect(self) -> float:
        """The share of what a trivial map leaves that A explains, `1 - (residual / trivial_residual)^2`."""
        if self.trivial_residual < TOLERANCE:  # nothing was left
            return 0.0
        return 1 - (self.residual / self.trivial_residual) ** 2

    @property
    def found(self) -> bool:
        return self.p_value <= SIGNIFICANCE and self.effect >= EFFECT

    def __repr__(self) -> str:
        said = "found" if self.found else "no symmetry found"
        return (
            f"PairFit({said}: held-out residual {self.residual:.3g} where a trivial map leaves "
            f"{self.trivial_residual:.3g}, {self.identifiable_dimension} of {len(self.matrix)} dimensions, "
            f"p = {self.p_value:.2g})"
        )


def fit_from_pairs(x: Tensor, gx: Tensor, *, held_out: float = 0.25, shuffles: int = 99, seed: int = 0) -> PairFit:
    """The matrix A with `vec(g x) = A vec(x)`, from pairs of patches before and after (sec. 5.2).

    It is found where it explains at least a twentieth of what a trivial map leaves, on held-out pairs, and more than in
    95 of 100 pairings in which that rest belongs to another x: Note [Trivial maps] in `trivial`. The
    identity is trivial. Channels are taken as further pairs.

    Shapes: two of (N, n, m) or (N, C, n, m) -> matrix (d, d)
    """
    if x.shape != gx.shape or x.ndim not in (3, 4):
        raise ValueError(f"x and gx must both be (N, n, m) or (N, C, n, m), got {tuple(x.shape)} and {tuple(gx.shape)}")
    if not 0 < held_out < 1:
        raise ValueError(f"held_out must lie between 0 and 1, got {held_out}")
    if shuffles < 1:
        raise ValueError(f"shuffles must be at least 1, got {shuffles}")
    before, after = (vec(part.double()) for part in (x, gx))
    if x.ndim == 4:
        before, after = before.flatten(0, 1), after.flatten(0, 1)
    count = len(before) - int(held_out * len(before))
    if count < 2 or count == len(before):
        raise ValueError(f"x must hold enough pairs to fit and to hold out, got {len(before)}")
    random = torch.Generator().manual_seed(seed)
    order = torch.randperm(len(before), generator=random)
    before, after = before[order], after[order]
    matrix = least_squares(before[:count], after[:count], ridge=TOLERANCE**2)
    residual = _left(before[count:] @ matrix.T, after[count:])
    trivial = trivial_prediction(before, after, count)
    rest = after - trivial
    # One factorisation serves every pairing: the map is linear in the g x that were fitted.
    inverse = torch.linalg.pinv(before[:count], rtol=TOLERANCE)  # (d, fitted)
    as_well = 1
    for _ in range(shuffles):
        shuffled = rest[torch.randperm(len(rest), generator=random)]
        predicted = before[count:] @ (inverse @ shuffled[:count])
        # What is trivial is predicted by both: it is left out of what both leave.
        left = (shuffled[count:] - predicted).norm() / (trivial[count:] + shuffled[count:]).norm().clamp_min(1e-300)
        as_well += int(left <= residual + 1e-9)
    p_value = as_well / (1 + shuffles)
    values = torch.linalg.svdvals(before)
    shares = values / values[0].clamp_min(torch.finfo(values.dtype).tiny)
    dimension = int((shares > TOLERANCE).sum())
    following = float(shares[dimension]) if dimension < len(shares) else 0.0
    gap = float(shares[dimension - 1]) / max(following, 1e-300) if dimension else 0.0
    trivial_residual = _left(trivial[count:], after[count:])
    return PairFit(matrix, residual, dimension, p_value, tuple(shares.tolist()), gap, trivial_residual)


def _left(predicted: Tensor, expected: Tensor) -> float:
    return float((expected - predicted).norm() / expected.norm().clamp_min(torch.finfo(expected.dtype).tiny))
