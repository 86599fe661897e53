"""The most specific structure comes first."""

import pytest
import torch

from lgn.analysis import analyze_matrices, structure
from lgn.analysis.assemble import adds
from studies.truth.power import NOISES, STRUCTURES

PATCH = (6, 6)


def unit(matrices: torch.Tensor) -> torch.Tensor:
    return matrices / matrices.norm(dim=(-2, -1), keepdim=True)


@pytest.mark.parametrize("name", [name for name in STRUCTURES if name != "multi-scale"])
def test_the_planted_structure_is_named_first(name: str) -> None:
    random = torch.Generator().manual_seed(3)
    matrices = unit(STRUCTURES[name](4, random)) + 0.5 * unit(NOISES["white"](4, random))
    analysis = analyze_matrices(matrices, patch=PATCH, draws=100)
    assert [generator.findings[0].name for generator in analysis.generators] == [name] * 4


def test_pure_members_are_named_by_the_smallest_space() -> None:
    random = torch.Generator().manual_seed(4)
    names = ("Toeplitz", "block-Toeplitz", "circulant", "doubly block-circulant")
    matrices = torch.cat([STRUCTURES[name](1, random) for name in names])
    analysis = analyze_matrices(matrices, patch=PATCH, draws=100)
    assert [generator.findings[0].name for generator in analysis.generators] == list(names)


def test_a_larger_space_adds_as_often_as_the_level_says() -> None:
    """For Toeplitz matrices in noise, block-Toeplitz adds energy in about one case of a hundred."""
    random = torch.Generator().manual_seed(5)
    matrices = unit(STRUCTURES["Toeplitz"](400, random)) + unit(NOISES["white"](400, random))
    often = sum(adds("Toeplitz", "block-Toeplitz", matrix, PATCH, 36) for matrix in matrices)
    assert 0 <= often <= 12
    more = unit(STRUCTURES["block-Toeplitz"](20, random)) + unit(NOISES["white"](20, random))
    assert all(adds("Toeplitz", "block-Toeplitz", matrix, PATCH, 36) for matrix in more)
    assert all(
        float(structure.offset_share(a, PATCH)) >= float(structure.offset_share(a, (36,))) for a in matrices[:20]
    )
