"""The most specific structure comes first."""

import pytest
import torch

from lgn.analysis import analyze_matrices, structure
from lgn.analysis.specificity import adds
from studies.truth.power import NOISES, STRUCTURES

PATCH = (6, 6)


def unit(matrices: torch.Tensor) -> torch.Tensor:
    return matrices / matrices.norm(dim=(-2, -1), keepdim=True)


@pytest.mark.parametrize("name", [name for name in STRUCTURES if name != "multi-scale"])
def test_what_was_planted_is_named_first(name: str) -> None:
    generator = torch.Generator().manual_seed(3)
    matrices = unit(STRUCTURES[name](4, generator)) + 0.5 * unit(NOISES["white"](4, generator))
    analysis = analyze_matrices(matrices, patch=PATCH, draws=100)
    assert [each.findings[0].name for each in analysis.generators] == [name] * 4


def test_pure_members_are_named_by_the_smallest_space() -> None:
    generator = torch.Generator().manual_seed(4)
    names = ("Toeplitz", "block-Toeplitz", "circulant", "doubly block-circulant")
    matrices = torch.cat([STRUCTURES[name](1, generator) for name in names])
    analysis = analyze_matrices(matrices, patch=PATCH, draws=100)
    assert [each.findings[0].name for each in analysis.generators] == list(names)


def test_a_larger_space_adds_as_often_as_the_level_says() -> None:
    """Toeplitz matrices in noise: block-Toeplitz adds nothing, and says so in about one case of a hundred."""
    generator = torch.Generator().manual_seed(5)
    matrices = unit(STRUCTURES["Toeplitz"](400, generator)) + unit(NOISES["white"](400, generator))
    often = sum(adds("Toeplitz", "block-Toeplitz", matrix, PATCH, 36) for matrix in matrices)
    assert 0 <= often <= 12
    more = unit(STRUCTURES["block-Toeplitz"](20, generator)) + unit(NOISES["white"](20, generator))
    assert all(adds("Toeplitz", "block-Toeplitz", matrix, PATCH, 36) for matrix in more)
    assert all(float(structure.block_toeplitz(a, PATCH)) >= float(structure.toeplitz(a)) for a in matrices[:20])
