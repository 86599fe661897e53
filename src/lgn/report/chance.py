"""What chance gives, as small histograms that a page can draw behind a score."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.analysis import Analysis, nulls, scores
from lgn.analysis.result import tensor

BINS = 24
GAUSSIAN_DRAWS, RELABELLED_DRAWS = 400, 100


@dataclass(frozen=True)
class Histogram:
    """How often each of `BINS` equal parts of [low, high] was hit."""

    low: float
    high: float
    counts: tuple[int, ...]


def gaussian_histograms(analysis: Analysis) -> dict[str, Histogram]:
    """Every score over Gaussian matrices: one sample serves all generators, since scores ignore scale."""
    generator = torch.Generator().manual_seed(analysis.seed)
    d = analysis.patch[0] * analysis.patch[1]
    drawn = scores.score(nulls.gaussian(GAUSSIAN_DRAWS, d, generator), analysis.patch)
    return {name: histogram(values) for name, values in drawn.items()}


def relabelled_histograms(analysis: Analysis) -> list[dict[str, Histogram]]:
    """For each generator, the scores that depend on place over relabellings of its own pixels."""
    generator = torch.Generator().manual_seed(analysis.seed)
    spatial = [name for name, is_spatial in scores.SPATIAL.items() if is_spatial]
    drawn = [nulls.relabelled(tensor(each.matrix).float(), RELABELLED_DRAWS, generator) for each in analysis.generators]
    values = scores.score(torch.stack(drawn), analysis.patch, spatial)  # each (G, draws)
    return [{name: histogram(rows[g]) for name, rows in values.items()} for g in range(len(drawn))]


def histogram(values: Tensor) -> Histogram:
    """The histogram of values (N,), over their own range."""
    low, high = float(values.min()), float(values.max())
    places = ((values - low) / max(high - low, 1e-12) * BINS).long().clamp(max=BINS - 1)
    return Histogram(low, high, tuple(torch.bincount(places, minlength=BINS).tolist()))
