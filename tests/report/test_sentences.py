"""Findings in the words of the page."""

from dataclasses import replace

import pytest
import torch

from lgn.analysis import Analysis, Finding, GeneratorAnalysis, analyze_matrices
from lgn.report.sentences import overview, p_words, sentence
from lgn.transforms import operator


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    noise = torch.randn(2, 16, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    rotation = operator("rotation", (4, 4), degrees=90)
    return analyze_matrices(torch.cat([noise[:1], rotation[None]]), (4, 4), names=["noise", "turn"], draws=400)


def found(name: str, score: float, p: float, adjusted: float, on: str = "matrix") -> Finding:
    return Finding(name, score, 0.25, p, adjusted, ("gaussian",), on, "words")


def with_findings(each: GeneratorAnalysis, *findings: Finding) -> GeneratorAnalysis:
    return replace(each, findings=findings)


def test_a_finding_beside_its_chance(analysis: Analysis) -> None:
    noise = analysis.generators[0]
    toeplitz = with_findings(noise, found("Toeplitz", 0.314, 1e-5, 1e-4))
    nothing = "no known operator is nearer than chance"
    assert sentence(toeplitz, 0.05) == f"noise: Toeplitz, 0.31 against 0.25 by chance, p < 0.001; {nothing}"
    assert sentence(with_findings(noise), 0.05) == f"noise: nothing beyond chance; {nothing}"


def test_the_nearest_operator_is_named(analysis: Analysis) -> None:
    assert sentence(analysis.generators[1], 0.05).endswith("nearest operator: rotation 90 degrees, cosine 1.00")


def test_a_structure_is_named_once_and_the_rest_are_counted(analysis: Analysis) -> None:
    noise = analysis.generators[0]
    names = ("Toeplitz", "circulant", "Kronecker", "permutation", "symmetric")
    findings = [found(name, 0.5, 0.01, 0.02, "matrix") for name in names]
    findings.insert(0, found("Toeplitz", 0.9, 0.001, 0.01, "identifiable"))
    words = sentence(with_findings(noise, *findings), 0.05)
    assert words.count("Toeplitz, 0.50") == 1
    assert "0.90" not in words
    assert "and 2 more" in words


def test_overview_counts(analysis: Analysis) -> None:
    noise, turn = analysis.generators
    made = replace(
        analysis,
        generators=(
            with_findings(noise, found("Toeplitz", 0.5, 0.01, 0.02, "matrix")),
            with_findings(turn, found("Toeplitz", 0.5, 0.01, 0.02, "matrix"),
                          found("circulant", 0.5, 0.01, 0.02, "matrix")),
        ),
    )  # fmt: skip
    first, second, *_ = overview(made)
    assert first == "2 of 2 generators have a structure beyond chance, most often Toeplitz (2), circulant (1)."
    plain = replace(made, generators=(with_findings(noise, found("low stable rank", 0.9, 0.01, 0.02)), turn))
    assert overview(replace(plain, generators=plain.generators[:1]))[0] == (
        "None of 1 generator has a structure beyond chance. In 1 few directions carry the energy."
    )
    assert second.startswith(
        "1 of 2 is nearer to a known operator than chance; the nearest is turn to rotation 90 degrees"
    )
    alone = replace(analysis, generators=(with_findings(noise),))
    assert overview(alone)[0] == "None of 1 generator has a structure beyond chance."


@pytest.mark.parametrize(("p", "words"), [(0.00099, "p < 0.001"), (0.001, "p = 0.001"), (0.0312, "p = 0.031")])
def test_p_words(p: float, words: str) -> None:
    assert p_words(p) == words
