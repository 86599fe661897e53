"""The study of truth: its inputs, and its measurements."""

import pytest
import torch

from lgn.generators import FAMILIES, generators_of
from studies.runner import Cells
from studies.truth import fits, matrices, power


def test_a_field_is_as_smooth_as_it_says() -> None:
    """The correlation of neighbours at distance r is exp(-r^2 / (2 l^2)), in what is read and in what is written."""
    a = matrices.MATRICES["smooth field, 1.5 px"](4000, torch.Generator().manual_seed(0))
    for pixels in (a[:, :, 7], a[:, 7]):  # output pixels, input pixels
        products = pixels.T @ pixels
        correlation = products / products.diagonal().outer(products.diagonal()).sqrt()
        for step, distance in ((1, 1.0), (6, 1.0), (2, 2.0), (7, 2**0.5)):  # down, right, two down, diagonally
            expected = float(torch.exp(torch.tensor(-(distance**2) / (2 * 1.5**2))))
            assert float(correlation[14, 14 + step]) == pytest.approx(expected, abs=0.06)


@pytest.mark.parametrize("name", ["unrelated smooth sets, grey", "unrelated smooth sets, colour"])
def test_sets_without_a_generator_are_fitted_exactly(name: str) -> None:
    found, bases = matrices.SETS[name](3, torch.Generator().manual_seed(0))
    assert found.shape == (3, 36, 36)
    for element in (1, 2, 3):  # every element has norm 1, whatever the map is off their span
        norms = (torch.linalg.matrix_power(found, element) @ bases).norm(dim=1)
        assert torch.allclose(norms, torch.ones_like(norms), atol=1e-6)


def test_planted_structures_are_members() -> None:
    from lgn.analysis.scores import score

    scores = {"causal": "causal energy", "signed sides": "causal sign", "multi-scale": "quadrant signs"}
    for name, make in power.STRUCTURES.items():
        value = score(make(3, torch.Generator().manual_seed(0)), (6, 6))[scores.get(name, name)]
        assert torch.allclose(value, torch.ones_like(value)), name


def test_every_family_is_among_the_untrained_models() -> None:
    keys = [cell.key for cell in power.model_cells(quick=False)]
    assert len(keys) == 200
    assert {key["family"] for key in keys} == set(FAMILIES) - {"fixed"}
    assert {(key["start"], key["network"]) for key in keys} == {(s, k) for s in power.STARTS for k in power.KINDS}
    mixed = power.untrained("kronecker", "gaussian", "mixed")
    assert {g.order for g in generators_of(mixed).values()} == {2, 4}
    assert len({g.patch for g in generators_of(mixed).values()}) == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "cells", [matrices.cells, power.model_cells, power.power_cells, power.search_cells, fits.cells]
)
def test_a_quick_cell_is_within_its_bound(cells: Cells) -> None:
    measured = next(iter(cells(True))).measure()
    assert measured.get("at_least", 0) <= measured["rate"] <= measured.get("limit", 1)


@pytest.mark.parametrize("kind", fits.BANKS)
def test_unrelated_banks_differ_in_what_they_say(kind: str) -> None:
    bank = fits.unrelated(kind, 4, torch.Generator().manual_seed(0)).unflatten(0, (fits.SETS, fits.ORDER))
    norms = bank.flatten(2).norm(dim=-1).log()
    by_set, by_place = norms.mean(1).var(), norms.mean(0)
    assert (float(by_set) > 0.2) == ("by set" in kind)
    if "0.5^j" in kind:
        assert torch.allclose(by_place.diff(), torch.tensor(0.5).log().double(), atol=0.2)
    assert bank.shape[2] == (3 if "three channels" in kind else 1)


@pytest.mark.parametrize("kind", [*fits.NO_MAPS, *fits.MAPS])
def test_maps_are_found_between_pairs_that_have_one(kind: str) -> None:
    assert fits.measure_pairs("pairs", kind, 4)["rate"] == (kind in fits.MAPS)


def test_a_planted_generator_is_found_and_so_is_its_dimension() -> None:
    assert fits.measure_power("fit power", "pooling 4 then rotation 60", 0.1, 3)["rate"] == 1
    measured = fits.measure_dimension("fit dimension", "24 of 36 dimensions", 0.01, 3)
    assert measured["reported"] == [24, 24]
    assert measured["worst_error"] < 0.05


def test_searches_claim_what_is_there() -> None:
    nothing, four_points = (power.measure_search("search", 0.88, 8, 0.6, points, 200) for points in (0.0, 4.0))
    assert nothing["rate"] <= 0.05
    assert nothing["before"] > 0.2  # two standard errors on the images that chose
    assert four_points["rate"] >= 0.9


def test_simulated_networks_disagree_as_often_as_trained_ones() -> None:
    """The standard errors of docs/evidence/recovery.md mean that networks differ on 13 to 16 of 100 images."""
    common, *runs = torch.randn(3, 200_000, generator=torch.Generator().manual_seed(0))
    threshold = torch.special.ndtri(torch.tensor(0.88))
    right = [power.COMMON**0.5 * common + (1 - power.COMMON) ** 0.5 * run < threshold for run in runs]
    assert float((right[0] != right[1]).double().mean()) == pytest.approx(0.16, abs=0.01)
