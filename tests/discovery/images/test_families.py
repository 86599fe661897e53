"""Families are what they say: actions of groups, lines of versions, and one's own transformations."""

import pytest
import torch
from torch import Tensor

from lgn.actions import act
from lgn.discovery.images.candidates import families_of, of_own
from lgn.discovery.images.exact import colour, negative, turns_and_flips
from lgn.discovery.images.family import Family
from lgn.discovery.images.resampled import angles, scalings, shears, shifts, stretches, tilts
from lgn.discovery.images.result import patch_matrix
from lgn.transforms import operator


def noise(*shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0))


EXACT = {
    "square": (turns_and_flips(("turns", "flips"), 6, 6), noise(3, 1, 6, 6)),
    "turns": (turns_and_flips(("turns",), 6, 6), noise(3, 1, 6, 6)),
    "rectangle": (turns_and_flips(("turns", "flips"), 4, 6), noise(3, 1, 4, 6)),
    "colour": (colour(3), noise(3, 3, 4, 4)),
    "negative": (negative(-2.0, 3.0), noise(3, 1, 4, 4)),
}


@pytest.mark.parametrize("name", EXACT)
def test_versions_are_an_action_of_the_group(name: str) -> None:
    family, x = EXACT[name]
    group = family.group
    assert group is not None
    assert family.versions == group.order
    for g in range(group.order):
        for h in range(group.order):
            torch.testing.assert_close(family.act(family.act(x, h), g), family.act(x, int(group.table[g, h])))


@pytest.mark.parametrize("name", EXACT)
def test_pairs_are_h_and_h_t(name: str) -> None:
    family, x = EXACT[name]
    for candidate in family.candidates:
        assert candidate.element is not None
        moved = family.act(x, candidate.element)
        for h, t in candidate.pairs:
            torch.testing.assert_close(family.show(x, t), family.show(moved, h))


def test_names_say_what_is_done() -> None:
    family, x = EXACT["square"]
    for candidate in family.candidates:
        assert candidate.element is not None
        by_matrix = act(patch_matrix(candidate.name, (6, 6)).float(), x)
        torch.testing.assert_close(family.act(x, candidate.element), by_matrix)


def test_a_permutation_of_channels_sends_them_where_its_name_says() -> None:
    family, _ = EXACT["colour"]
    x = torch.arange(3.0).view(1, 3, 1, 1)
    cycle = family.candidate("red to green to blue")
    assert cycle.element is not None
    assert family.act(x, cycle.element).flatten().tolist() == [2, 0, 1]  # red is where green was
    swap = family.candidate("swap red and blue")
    assert swap.element is not None
    assert family.act(x, swap.element).flatten().tolist() == [2, 1, 0]


def test_a_restricted_family_is_the_subgroup() -> None:
    family, x = EXACT["square"]
    part = family.restricted((0, 2, 4, 6))
    assert [each.pairs for each in part.restricted((0, 6)).candidates] == [((0, 1), (1, 0))]
    assert [each.name for each in part.candidates] == ["turn 180", "flip columns", "flip rows"]
    for candidate in part.candidates:
        assert candidate.element is not None
        for h, t in candidate.pairs:
            torch.testing.assert_close(part.show(x, t), part.show(family.act(x, candidate.element), h))


def test_eighths_are_quarters_where_they_are_quarters() -> None:
    x = noise(2, 1, 9, 9)
    family = angles()
    torch.testing.assert_close(family.act(x, 2), torch.rot90(x, 1, (-2, -1)))
    # No version is the image itself, and versions a quarter apart are exact turns of each other.
    torch.testing.assert_close(family.show(x, 3), torch.rot90(family.show(x, 1), 1, (-2, -1)))


@pytest.mark.parametrize("family", [scalings(), stretches(), shears(), shifts("right"), shifts("down")])
def test_lines_have_versions_of_one_size_that_see_nothing_from_outside(family: Family) -> None:
    ones = torch.ones(1, 1, 20, 20)
    versions = torch.cat([family.show(ones, version) for version in range(family.versions)])
    torch.testing.assert_close(versions, versions[:1].expand_as(versions))
    assert [len(each.pairs) for each in family.candidates] == [4, 3, 2, 1]


def test_tilts_come_in_mirrored_pairs() -> None:
    x = noise(1, 1, 15, 15)
    family = tilts()
    assert [each.name for each in family.candidates] == ["tilt 10", "tilt 20", "tilt 30"]
    for version in range(2):  # no version is sharper than its mirror image is
        torch.testing.assert_close(family.show(x, version), family.show(x.flip(-1), 3 - version).flip(-1))


def test_a_shift_is_one_of_pixels() -> None:
    x = noise(1, 1, 14, 14)
    family = shifts("right")
    moved = x.roll(1, -1)
    for h, t in family.candidates[0].pairs:
        torch.testing.assert_close(family.show(moved, h)[..., 1:-1], family.show(x, t)[..., 1:-1])


def test_ones_own_transformation_by_function_and_by_matrix() -> None:
    x = noise(5, 1, 6, 6)
    by_function = of_own(("turned", lambda images: torch.rot90(images, 1, (-2, -1))), x)
    assert by_function.group_name == "C4"
    assert [each.name for each in by_function.candidates] == ["turned", "turned, 2 times", "turned, 3 times"]
    by_matrix = of_own(("turned", operator("rotation", (6, 6), degrees=90)), x)
    torch.testing.assert_close(by_matrix.act(x, 1), by_function.act(x, 1))
    darker = of_own(("darker", lambda images: images / 2), x)
    assert darker.group_name is None
    assert darker.candidates[0].pairs == ((0, 1),)


@pytest.mark.parametrize(
    ("own", "words"),
    [
        (("cut", lambda images: images[..., 1:]), "must return images of the shape"),
        (("nothing", lambda images: images), "must change the images"),
        (("small", torch.eye(4)), r"must be a matrix \(36, 36\)"),
    ],
)
def test_what_is_no_transformation_is_refused(own: tuple[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        of_own(own, noise(5, 1, 6, 6))  # type: ignore[arg-type]


def test_candidates_that_do_not_fit_the_images_are_refused() -> None:
    for candidates, words in [
        (("spirals",), "candidates must be of"),
        (("colour",), "3 channels, got 1"),
        (("angles",), "square images, got 4x6"),
        (("shifts",), "at least 12x12"),
        ((), "at least one"),
    ]:
        with pytest.raises(ValueError, match=words):
            families_of(candidates, noise(5, 1, 4, 6))
