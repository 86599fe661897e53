"""Histograms of chance: they must be those of the nulls."""

import torch

from lgn.analysis import analyze_matrices
from lgn.report.histograms import (
    BINS,
    GAUSSIAN_DRAWS,
    SMOOTH_DRAWS,
    gaussian_histograms,
    histogram,
    smooth_histograms,
)


def test_histogram_counts_every_value() -> None:
    values = torch.tensor([0.0, 0.0, 0.5, 1.0])
    low, high, counts = histogram(values)
    assert (low, high, sum(counts)) == (0.0, 1.0, 4)
    assert counts[0] == 2
    assert counts[BINS // 2] == 1
    assert counts[-1] == 1
    assert sum(histogram(torch.full((7,), 0.25))[2]) == 7


def test_they_lie_where_chance_lies() -> None:
    shifts = torch.eye(16, dtype=torch.float64).roll(1, 0)
    analysis = analyze_matrices(shifts, patch=(4, 4), draws=10)
    scores = {score.name: score for score in analysis.generators[0].scores}
    gaussian = gaussian_histograms(analysis)
    assert set(gaussian) == set(scores)
    for name, (low, _, counts) in gaussian.items():
        assert sum(counts) == GAUSSIAN_DRAWS
        assert low <= scores[name].chance  # the largest mean over all nulls, of which this is one
    (smooth,) = smooth_histograms(analysis)
    # A cyclic shift is circulant; another matrix that is as smooth need not be.
    assert scores["circulant"].score > 0.999
    assert smooth["circulant"][1] < 0.9
    assert sum(smooth["circulant"][2]) == SMOOTH_DRAWS
    assert "permutation" not in smooth  # single entries, which smoothness says nothing about
