"""Does a map go on? What is kept on a few directions must extend to the next ones: few directions keep too much."""

import torch
from torch import Tensor

from lgn.data.seeds import generator_for
from lgn.discovery.moments.ascent import Moments, climb
from lgn.discovery.moments.judge import Fold, Verdict, judge
from lgn.discovery.moments.search import polish
from lgn.discovery.moments.split import BEYOND, FOURTH, Sample, mean_moments
from lgn.discovery.moments.whitening import Frame, principal_directions

FURTHER = 8  # directions at most that a map is followed on
STARTS = 24  # of each map, at random on the new directions

# Note [Few directions]
# A symmetry of x that commutes with the covariance acts on every space between two gaps of the variances. On the first
# r directions alone more may be kept: of signals that begin anywhere on a ring the mean and two harmonics have one
# relative phase, which a reversal with a filter can always put right; a third harmonic brings others, and the reversal
# ends there. So a map that is kept on r of d directions is followed to the next gap: blocks for the new
# directions are fitted to the samples that found the map, and the others judge. What is broken there for every block
# that was tried is no symmetry of x, though it may be one of those r directions.


def continued(maps: Tensor, frame: Frame, searching: Sample, judging: Sample, level: float, seed: int) -> list[Verdict]:
    """The verdict on the best continuation of each map to the next gap of the variances; kept where there is none.

    Shapes: maps (count, r, r), orthogonal on the directions of `frame`, which `searching` chose
    """
    wider = _wider(frame, searching)
    if wider is None:
        return ["kept"] * len(maps)
    extra = wider.rank - frame.rank
    generator = generator_for("continued maps", seed)
    more = torch.linalg.qr(torch.randn(STARTS, extra, extra, generator=generator, dtype=torch.float64))[0]
    signs = 1.0 - 2 * torch.randint(2, (STARTS, extra), generator=generator).double()
    more = torch.cat([more, torch.eye(extra, dtype=torch.float64)[None], torch.diag_embed(signs).unique(dim=0)])
    moments = mean_moments(searching.moments(wider, (3, 4) if wider.rank <= FOURTH else (3,), seed))
    blocks = judging.moments(wider, (3, 4) if wider.rank <= BEYOND else (3,), seed)
    found = [_best(each, more, moments) for each in maps]
    return [judge([Fold(each, blocks, blocks)], level).verdict for each in found]


def _best(matrix: Tensor, more: Tensor, moments: Moments) -> Tensor:
    """The continuation that keeps the moments best.  (r, r), (starts, extra, extra) -> (r + extra, r + extra)"""
    starts = torch.stack([torch.block_diag(matrix, each) for each in more])
    inside = torch.block_diag(torch.ones_like(matrix), torch.ones_like(more[0]))
    quick = {degree: each.float() for degree, each in moments.items()}
    found, values = climb(starts.float(), quick, steps=40, inside=inside.float())
    return polish(found[values.argmax()][None], moments)[0]


def _wider(frame: Frame, sample: Sample) -> Frame | None:
    """The frame with the directions up to the next gap of the variances; None where there is no gap soon."""
    principal = principal_directions(sample.x)
    ranks = [rank for rank in principal.ranks(frame.rank + FURTHER) if rank > frame.rank]
    if not ranks:
        return None
    whole = principal.frame(min(ranks))
    to = torch.cat([frame.to, whole.to[frame.rank :]])
    return Frame(frame.mean, to, torch.cat([frame.back, whole.back[:, frame.rank :]], 1))
