"""Sentences about findings."""

from dataclasses import replace

import pytest
import torch

from lgn.analysis import Analysis, Finding, GeneratorAnalysis, analyze_matrices
from lgn.report.sentences import overview, p_text, sentence
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
    assert all(name in text for name in ("Toeplitz, 0.50", "circulant", "Kronecker", "2 more"))
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


@pytest.mark.parametrize(("p", "text"), [(0.00099, "p < 0.001"), (0.001, "p = 0.001"), (0.0312, "p = 0.031")])
def test_p_text(p: float, text: str) -> None:
    assert p_text(p) == text
