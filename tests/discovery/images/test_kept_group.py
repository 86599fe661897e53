"""The group of the kept transformations: closed, without repeated turns, and named as a whole."""

import pytest
import torch
from found import found
from torch import Tensor

from lgn.discovery.images.kept_group import Kept, kept_group
from lgn.discovery.images.standardising import standardised
from lgn.discovery.images.users_candidates import users_families
from lgn.transforms import Family, Transformation, families_of

TURNS, FLIPS = ("turn 90", "turn 180", "turn 270"), ("flip columns", "transposition", "flip rows", "antitransposition")
EIGHTHS = tuple(f"turn {degrees}" for degrees in range(45, 360, 45))
SAMPLES = torch.rand(30, 1, 9, 9, generator=torch.Generator().manual_seed(0))


def kept(candidates: tuple[str, ...], *names: str, kind: str = "images", samples: Tensor = SAMPLES) -> Kept:
    return kept_group(families_of(candidates, kind, samples), names, samples)


@pytest.mark.parametrize(
    ("candidates", "names", "name", "order"),
    [
        (("turns", "flips"), (), "trivial", 1),
        (("turns", "flips"), TURNS, "C4", 4),
        (("turns", "flips"), (*TURNS, *FLIPS), "D4", 8),
        (("turns", "flips"), ("turn 180", "flip columns", "flip rows"), "C2 x C2", 4),
        (("flips",), ("flip columns", "flip rows"), "C2 x C2", 4),
        (("turns", "angles"), TURNS, "C4", 4),
        (("turns", "angles"), EIGHTHS, "SO(2)", 8),
        (("turns", "flips", "angles"), (*EIGHTHS, *FLIPS), "O(2)", 16),
        (("turns", "negative"), (*TURNS, "negative"), "C4 x C2", 8),
        (("negative",), ("negative",), "C2", 2),
    ],
)
def test_the_group_of_images(candidates: tuple[str, ...], names: tuple[str, ...], name: str, order: int) -> None:
    result = kept(candidates, *names)
    assert result.group is not None
    assert (result.name, result.group.order) == (name, order)
    assert set(result.elements) == set(names)
    assert len(set(result.elements.values())) == len(names)


@pytest.mark.parametrize("names", [("turn 90", "turn 270"), ("turn 180", "flip columns"), (*TURNS, "flip rows")])
def test_kept_transformations_that_are_not_closed_have_no_group(names: tuple[str, ...]) -> None:
    result = kept(("turns", "flips"), *names)
    assert result.group is None
    assert result.name == ""
    assert result.elements == {}
    assert len(result.notes) == 1


def test_lines_alone_have_no_group() -> None:
    assert kept(("tilts",), samples=SAMPLES) == Kept(None, {}, "", ())


def test_signals_on_a_ring_have_a_dihedral_group() -> None:
    samples = torch.rand(5, 2, 16)
    result = kept(("reversal", "shift", "channels"), "reversal", "shift 1/8", kind="signals", samples=samples)
    assert result.name == "D8"
    every = ("reversal", "shift 1/8", "exchange channels 1 and 2")
    assert kept(("reversal", "shift", "channels"), *every, kind="signals", samples=samples).name == "D8 x C2"


def test_words_multiply_as_transformations_do() -> None:
    action = found(*TURNS, *FLIPS).action
    x = SAMPLES[:2]
    for g in range(8):
        for h in range(8):
            product = int(action.group.table[g, h])
            torch.testing.assert_close(action.elements[g](action.elements[h](x)), action.elements[product](x))


def own(*transformations: Transformation) -> tuple[Family, ...]:
    return tuple(users_families(transformations, standardised(SAMPLES), "images"))


def test_the_users_maps_and_the_others_form_a_direct_product_or_no_group() -> None:
    families = families_of(("flips",), "images", SAMPLES)
    darker = own(Transformation("other", function=lambda x: 1 - x))
    assert kept_group((*families, *darker), ("flip columns", "other"), SAMPLES).name == "C2 x C2"
    moved = own(Transformation("moved", function=lambda x: x.roll(3, -1)))
    names = ("flip columns", "moved", "moved^2")
    assert kept_group((*families, *moved), names, SAMPLES).group is None  # a flip reverses the direction
    same = own(Transformation("mirror", function=lambda x: x.flip(-1)))
    assert kept_group((*families, *same), ("flip columns", "mirror"), SAMPLES).group is None
    half = own(Transformation("half turn", function=lambda x: x.rot90(2, (-2, -1))))
    assert kept_group((*families, *half), ("flip columns", "flip rows", "half turn"), SAMPLES).group is None


def test_a_wrong_order_of_the_user_gives_no_group() -> None:
    families = own(Transformation("turn", function=lambda x: x.rot90(1, (-2, -1)), order=3))
    assert kept_group(families, ("turn", "turn^2"), SAMPLES).group is None
