"""Transformations and groups of the user."""

import pytest
import torch
from torch import Tensor

from lgn.apply import Action
from lgn.discovery.images import discover_images
from lgn.discovery.images.standardising import standardised
from lgn.discovery.images.users_candidates import users_families
from lgn.groups import cyclic
from lgn.transforms import Family, Transformation, operator

IMAGES = 255 * torch.rand(40, 1, 6, 6, generator=torch.Generator().manual_seed(0))
DATA = standardised(IMAGES)


def quarter(x: Tensor) -> Tensor:
    return torch.rot90(x, 1, (-2, -1))


def family_of(own: Transformation | Action) -> Family:
    (family,) = users_families([own], DATA, "images")
    return family


def test_a_period_is_recognised_and_powers_are_candidates() -> None:
    family = family_of(Transformation("turned", function=quarter))
    assert [one.name for one in family.transformations] == ["turned", "turned^2", "turned^3"]
    assert [one.order for one in family.transformations] == [4, 2, 4]
    by_matrix = family_of(Transformation("turned", matrix=operator("rotation", (6, 6), degrees=90)))
    x = DATA.samples
    for one in (family, by_matrix):
        torch.testing.assert_close(one.act(x, 3), quarter(quarter(quarter(x))), atol=1e-4, rtol=0)
        torch.testing.assert_close(one.transformations[1](IMAGES), quarter(quarter(IMAGES)))


def test_functions_see_samples_in_their_own_units() -> None:
    family = family_of(Transformation("negative of mine", function=lambda x: 255 - x))
    moved = family.act(DATA.samples, 1) * DATA.spread + DATA.mean
    torch.testing.assert_close(moved, 255 - IMAGES, atol=1e-2, rtol=0)


def test_a_transformation_without_a_period_has_no_group() -> None:
    family = family_of(Transformation("darker", function=lambda x: x / 2))
    assert family.group is None
    assert family.pairs(family.transformations[0]) == ((0, 1),)


def test_a_group_of_the_user_has_a_row_per_element() -> None:
    def roll(places: int) -> Transformation:
        return Transformation(f"roll {places}", function=lambda x: x.roll(places, -1))

    action = Action(cyclic(3), (Transformation("identity", function=lambda x: x), roll(2), roll(4)))
    found = discover_images(IMAGES, kind="images", candidates=[action, "flips"], effort=0.05)
    assert [row.name for row in found.rows if row.name.startswith("roll")] == ["roll 2", "roll 4"]
    assert found.settings["candidates"] == ("C3", "flips")


@pytest.mark.parametrize(
    "own",
    [
        Transformation("bad", function=lambda x: x[..., 1:]),
        Transformation("bad", function=lambda x: x),
        Transformation("bad", function=lambda x: x / 0 * 0),
        Transformation("bad", function=lambda x: x.tolist()),  # type: ignore[arg-type,return-value]
        Transformation("bad", matrix=torch.eye(4)),
        Transformation("flip columns", function=lambda x: x.flip(-1)),
    ],
)
def test_functions_that_are_no_transformations_are_refused_by_name(own: Transformation) -> None:
    with pytest.raises(ValueError, match=rf"candidates.*{own.name}"):
        discover_images(IMAGES, kind="images", candidates=[own, "flips"])
