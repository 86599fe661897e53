"""The study of truth: its inputs, and its measurements."""

import pytest
import torch

from lgn.generators import FAMILIES, generators_of
from studies.runner import Cells
from studies.truth import fits, matrices, power, random_models


def test_a_field_is_as_smooth_as_it_says() -> None:
    """The correlation of neighbours at distance r is exp(-r^2 / (2 l^2)), in what is read and in what is written."""
    a = matrices.MATRICES["smooth field, 1.5 px"](4000, torch.Generator().manual_seed(0))
    covariance = torch.einsum("ci,cj->ij", a[:, :, 7], a[:, :, 7]) / len(a)  # over output pixels
    other = torch.einsum("ci,cj->ij", a[:, 7], a[:, 7]) / len(a)
    for found in (covariance, other):
        correlation = found / found.diagonal().outer(found.diagonal()).sqrt()
        for step, distance in ((1, 1.0), (6, 1.0), (2, 2.0), (7, 2**0.5)):  # down, right, two down, diagonally
            expected = float(torch.exp(torch.tensor(-(distance**2) / (2 * 1.5**2))))
            assert float(correlation[14, 14 + step]) == pytest.approx(expected, abs=0.06)


@pytest.mark.parametrize("name", ["unrelated smooth sets, grey", "unrelated smooth sets, colour"])
def test_sets_without_a_generator_are_fitted_exactly(name: str) -> None:
    found, bases = matrices.SETS[name](3, torch.Generator().manual_seed(0))
    assert found.shape == (3, 36, 36)
    images = bases
    for _ in range(3):
        images = found @ images  # every element has norm 1, whatever the map is off their span
        assert torch.allclose(images.norm(dim=1), torch.ones_like(images[:, 0]), atol=1e-6)


def test_planted_structures_are_members() -> None:
    from lgn.analysis.scores import score

    scores = {"causal": "causal energy", "signed sides": "causal sign", "multi-scale": "quadrant signs"}
    for name, make in power.STRUCTURES.items():
        value = score(make(3, torch.Generator().manual_seed(0)), (6, 6))[scores.get(name, name)]
        assert torch.allclose(value, torch.ones_like(value)), name


def test_every_family_is_among_the_untrained_models() -> None:
    keys = [cell.key for cell in random_models.model_cells(quick=False)]
    assert len(keys) == 200
    assert {key["family"] for key in keys} == set(FAMILIES) - {"fixed"}
    assert {(key["start"], key["network"]) for key in keys} == {
        (s, k) for s in random_models.STARTS for k in random_models.KINDS
    }
    mixed = random_models.untrained("kronecker", "gaussian", "mixed")
    assert {g.order for g in generators_of(mixed).values()} == {2, 4}
    assert len({g.patch for g in generators_of(mixed).values()}) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "cells", [matrices.cells, random_models.model_cells, power.cells, random_models.search_cells, fits.cells]
)
def test_a_quick_cell_is_within_its_bound(cells: Cells) -> None:
    measured = next(iter(cells(True))).measure()
    assert measured.get("at_least", 0) <= measured["rate"] <= measured.get("limit", 1)
