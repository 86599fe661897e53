"""The cells of the truth benchmark about discovery: they measure what they say, and hold in small."""

import pytest
import torch

from studies.truth import fits, random_models
from studies.truth.matrices import smooth_fields


def test_smooth_fields_have_the_covariance_that_is_asked_for() -> None:
    fields = smooth_fields((20_000, 4, 6), 1.5, torch.Generator().manual_seed(0))
    assert float(fields.var()) == pytest.approx(1, abs=0.03)
    for rows, columns in ((0, 1), (1, 0), (2, 3)):
        product = (fields[:, rows:, columns:] * fields[:, : 4 - rows, : 6 - columns]).mean()
        expected = torch.tensor(-(rows**2 + columns**2) / (2 * 1.5**2)).exp()
        assert float(product) == pytest.approx(float(expected), abs=0.03)


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
    nothing, four_points = (random_models.measure_search("search", 0.88, 8, 0.6, points, 200) for points in (0.0, 4.0))
    assert nothing["rate"] <= 0.05
    assert nothing["before"] > 0.2  # two standard errors on the images that chose
    assert four_points["rate"] >= 0.9


def test_simulated_networks_disagree_as_often_as_trained_ones() -> None:
    """The standard errors of docs/evidence/recovery.md mean that networks differ on 13 to 16 of 100 images."""
    generator = torch.Generator().manual_seed(0)
    shares = (random_models.COMMON, random_models.KIND, 1 - random_models.COMMON - random_models.KIND)
    common = shares[0] ** 0.5 * torch.randn(200_000, generator=generator)
    runs = common + (shares[1] + shares[2]) ** 0.5 * torch.randn(2, 200_000, generator=generator)
    right = runs < torch.special.ndtri(torch.tensor(0.88))
    assert float((right[0] != right[1]).double().mean()) == pytest.approx(0.16, abs=0.01)
