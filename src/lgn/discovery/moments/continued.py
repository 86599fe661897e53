"""Maps on more directions: a map that few directions keep must extend to the next ones."""

import torch
from torch import Tensor

from lgn.answer import Verdict
from lgn.data.seeds import generator_for
from lgn.discovery.moments.ascent import Moments, climb
from lgn.discovery.moments.judge import judge
from lgn.discovery.moments.sample import BEYOND, FOURTH, Sample, View, mean_moments
from lgn.discovery.moments.search import polish
from lgn.discovery.moments.whitening import Frame, principal_directions

#: The largest number of further directions, and the number of random starts on them.
FURTHER, STARTS = 8, 24

# Note [Few directions]
# A symmetry of x that commutes with the covariance acts on every space between two gaps of the variances. The first r
# directions alone may have more symmetries. Example: signals that begin anywhere on a ring. The mean and two harmonics
# have one relative phase, which a reversal with a filter can always correct; a third harmonic has further phases, and
# the reversal ends there. So a map on r of d directions is extended to the next gap: blocks for the new directions are
# fitted to the samples that found the map, and the other samples judge. A map that is broken there for every block is
# no symmetry of x, although it may be one of the r directions.


def continued(maps: Tensor, view: View, judges: Sample, level: float) -> list[Verdict]:
    """The verdict on the best extension of each map to the next gap of the variances; "kept" if there is no gap.

    Shapes: maps (count, r, r), orthogonal on the directions of the view
    """
    wider = _wider(view)
    if wider is None:
        return ["kept" for _ in maps]
    extra = wider.rank - view.frame.rank
    generator = generator_for("continued maps", view.sample.seed)
    more = torch.linalg.qr(torch.randn(STARTS, extra, extra, generator=generator, dtype=torch.float64))[0]
    signs = 1.0 - 2 * torch.randint(2, (STARTS, extra), generator=generator).double()
    more = torch.cat([more, torch.eye(extra, dtype=torch.float64)[None], torch.diag_embed(signs).unique(dim=0)])
    moments = mean_moments(view.sample.moments(wider, (3, 4) if wider.rank <= FOURTH else (3,)))
    blocks = judges.moments(wider, (3, 4) if wider.rank <= BEYOND else (3,))
    return [judge([(_extended(matrix, more, moments), blocks, blocks)], level).verdict for matrix in maps]


def _extended(matrix: Tensor, more: Tensor, moments: Moments) -> Tensor:
    """The extension with the smallest violation.  (r, r), (starts, extra, extra) -> (r + extra, r + extra)"""
    starts = torch.stack([torch.block_diag(matrix, block) for block in more])
    inside = torch.block_diag(torch.ones_like(matrix), torch.ones_like(more[0]))
    quick = {degree: tensor.float() for degree, tensor in moments.items()}
    found, values = climb(starts.float(), quick, steps=40, inside=inside.float())
    return polish(found[values.argmax()][None], moments)[0]


def _wider(view: View) -> Frame | None:
    """The frame with the directions up to the next gap of the variances; None if there is no gap soon."""
    principal, frame = principal_directions(view.sample.x), view.frame
    ranks = [rank for rank in principal.ranks(frame.rank + FURTHER) if rank > frame.rank]
    if not ranks:
        return None
    whole = principal.frame(min(ranks))
    to = torch.cat([frame.to, whole.to[frame.rank :]])
    return Frame(frame.mean, to, torch.cat([frame.back, whole.back[:, frame.rank :]], 1))
