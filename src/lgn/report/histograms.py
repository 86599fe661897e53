"""Histograms of the scores of random matrices."""

import torch
from torch import Tensor

from lgn.analysis import Analysis, nulls, scores
from lgn.analysis.generator import tensor
from lgn.analysis.nulls import Matched

BINS = 24
GAUSSIAN_DRAWS, SMOOTH_DRAWS = 400, 100
#: The lowest and the highest value, and the counts of `BINS` equal intervals between them.
Histogram = tuple[float, float, list[int]]


def gaussian_histograms(analysis: Analysis) -> dict[str, Histogram]:
    """All scores of Gaussian matrices; one sample serves all generators, since scores ignore scale."""
    random = torch.Generator().manual_seed(analysis.seed)
    d = analysis.patch[0] * analysis.patch[1]
    drawn = scores.score(nulls.gaussian(GAUSSIAN_DRAWS, d, random), analysis.patch)
    return {name: histogram(values) for name, values in drawn.items()}


def smooth_histograms(analysis: Analysis) -> list[dict[str, Histogram]]:
    """For each generator, the scores that depend on smoothness, of random matrices as smooth as the generator."""
    random = torch.Generator().manual_seed(analysis.seed)
    names = [name for name, smooth in scores.SMOOTH.items() if smooth]
    drawn = [
        Matched(tensor(generator.matrix), generator.patch)(SMOOTH_DRAWS, random) for generator in analysis.generators
    ]
    values = scores.score(torch.stack(drawn), analysis.patch, names)  # (G, draws) by name
    return [{name: histogram(rows[g]) for name, rows in values.items()} for g in range(len(drawn))]


def histogram(values: Tensor) -> Histogram:
    """The histogram of values (N,), over their own range."""
    low, high = float(values.min()), float(values.max())
    places = ((values - low) / max(high - low, 1e-12) * BINS).long().clamp(max=BINS - 1)
    return round(low, 4), round(high, 4), torch.bincount(places, minlength=BINS).tolist()
