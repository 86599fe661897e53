"""What chance gives, as small histograms that a page can draw behind a score."""

import torch
from torch import Tensor

from lgn.analysis import Analysis, nulls, scores
from lgn.analysis.generator import tensor
from lgn.analysis.smoothness import Matched

BINS = 24
GAUSSIAN_DRAWS, SMOOTH_DRAWS = 400, 100
Histogram = tuple[float, float, list[int]]  # low, high, and how often each of `BINS` equal parts between was hit


def gaussian_histograms(analysis: Analysis) -> dict[str, Histogram]:
    """Every score over Gaussian matrices: one sample serves all generators, since scores ignore scale."""
    random = torch.Generator().manual_seed(analysis.seed)
    d = analysis.patch[0] * analysis.patch[1]
    drawn = scores.score(nulls.gaussian(GAUSSIAN_DRAWS, d, random), analysis.patch)
    return {name: histogram(values) for name, values in drawn.items()}


def smooth_histograms(analysis: Analysis) -> list[dict[str, Histogram]]:
    """For each generator, the scores that depend on smoothness over matrices that are as smooth as it is."""
    random = torch.Generator().manual_seed(analysis.seed)
    names = [name for name, smooth in scores.SMOOTH.items() if smooth]
    drawn = [Matched(tensor(each.matrix), each.patch)(SMOOTH_DRAWS, random) for each in analysis.generators]
    values = scores.score(torch.stack(drawn), analysis.patch, names)  # each (G, draws)
    return [{name: histogram(rows[g]) for name, rows in values.items()} for g in range(len(drawn))]


def histogram(values: Tensor) -> Histogram:
    """The histogram of values (N,), over their own range."""
    low, high = float(values.min()), float(values.max())
    places = ((values - low) / max(high - low, 1e-12) * BINS).long().clamp(max=BINS - 1)
    return round(low, 4), round(high, 4), torch.bincount(places, minlength=BINS).tolist()
