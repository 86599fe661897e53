"""The contents of a page: sentences, histograms of chance and Cayley graphs."""

import math
from dataclasses import replace

import pytest
import torch

from lgn import groups
from lgn.analysis import Analysis, Finding, GeneratorAnalysis, analyze_matrices
from lgn.report.cayley_layout import cayley
from lgn.report.figures import cayley_graph
from lgn.report.histograms import (
    BINS,
    GAUSSIAN_DRAWS,
    SMOOTH_DRAWS,
    gaussian_histograms,
    histogram,
    smooth_histograms,
)
from lgn.report.sentences import overview, sentence
from lgn.transforms import operator


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    noise = torch.randn(2, 16, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    rotation = operator("rotation", (4, 4), degrees=90)
    return analyze_matrices(torch.cat([noise[:1], rotation[None]]), patch=(4, 4), names=["noise", "turn"], draws=400)


def with_findings(generator: GeneratorAnalysis, *names: str, on: str = "matrix") -> GeneratorAnalysis:
    return replace(generator, findings=tuple(Finding(name, 0.5, 0.25, 0.01, 0.02, on) for name in names))


def test_a_sentence_names_the_first_findings_and_the_nearest_operator(analysis: Analysis) -> None:
    noise, turn = analysis.generators
    text = sentence(with_findings(noise, "Toeplitz", "circulant", "Kronecker", "permutation", "symmetric"), 0.05)
    assert text.startswith("noise: ")
    assert all(name in text for name in ("Toeplitz, 0.50", "p = 0.02", "circulant", "Kronecker", "2 more"))
    assert "permutation" not in text
    assert "rotation 90 degrees, cosine 1.00" in sentence(turn, 0.05)
    assert "cosine" not in sentence(noise, 0.05)


def test_the_same_structure_of_a_part_and_of_the_whole_is_one_finding(analysis: Analysis) -> None:
    noise = analysis.generators[0]
    both = with_findings(noise, "Toeplitz").findings + with_findings(noise, "Toeplitz", on="identifiable").findings
    assert sentence(replace(noise, findings=both), 0.05).count("Toeplitz") == 1


@pytest.mark.parametrize("names", [("Toeplitz",), ("low stable rank",), ()])
def test_the_overview_counts_generators_with_findings(analysis: Analysis, names: tuple[str, ...]) -> None:
    noise, turn = analysis.generators
    first, second, *_ = overview(replace(analysis, generators=(with_findings(noise, *names), with_findings(turn))))
    assert first.startswith(f"{len(names)} of 2 ")
    assert all(f"{name} (1)" in first for name in names)
    assert second.startswith("1 of 2 ")
    assert "turn, rotation 90 degrees" in second


def test_histogram_counts_every_value() -> None:
    values = torch.tensor([0.0, 0.0, 0.5, 1.0])
    low, high, counts = histogram(values)
    assert (low, high, sum(counts)) == (0.0, 1.0, 4)
    assert counts[0] == 2
    assert counts[BINS // 2] == 1
    assert counts[-1] == 1
    assert sum(histogram(torch.full((7,), 0.25))[2]) == 7


def test_histograms_are_those_of_chance() -> None:
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


@pytest.mark.parametrize("name", ["C5", "D4", "S4", "C2 x C2 x C3"])
def test_places_differ_and_arrows_multiply(name: str) -> None:
    group = groups.as_group(name)
    drawn = cayley(group)
    for i, one in enumerate(drawn.places):
        assert math.hypot(*one) <= 1 + 1e-9
        assert all(math.dist(one, other) > 0.02 for other in drawn.places[:i])
    for a, arrows in zip(group.generator_elements, drawn.arrows, strict=True):
        assert list(arrows) == group.table[a].tolist()
    assert drawn.words == group.words


def test_a_reflection_of_d4_leads_straight_inwards() -> None:
    drawn = cayley(groups.dihedral(4))
    for g, h in enumerate(drawn.arrows[1]):
        (x, y), (u, v) = drawn.places[g], drawn.places[h]
        assert abs(x * v - y * u) < 1e-9  # on one ray
        assert x * u + y * v > 0


def test_the_figure_names_all_elements_and_relations() -> None:
    figure = cayley_graph(groups.dihedral(3))
    texts = {text.get_text() for text in figure.axes[0].texts}
    assert {"e", "r", "r^2", "s"} <= texts
