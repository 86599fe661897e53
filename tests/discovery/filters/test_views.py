"""Images seen under unknown elements of a group: the group is found, and none where there is none."""

import pytest
import torch
from torch import Tensor

from lgn import groups
from lgn.data.dataset import DataSet
from lgn.discovery.filters import discover_from_views
from lgn.measures import closure_error
from lgn.transforms import operator

PATCH = (4, 4)


def views_of(images: Tensor, group: str, seed: int, count: int = 120, views: int = 8) -> Tensor:
    """Each image several times, every time under a random element.  (images, views, C, H, W)"""
    generator = torch.Generator().manual_seed(seed)
    chosen = images[torch.randperm(len(images), generator=generator)[:count]]
    seen = chosen.unsqueeze(1).repeat(1, views, 1, 1, 1)
    elements = torch.randint(4, (len(chosen), views), generator=generator)
    for element in range(4):
        here = elements == element
        if group == "quarter turns":
            seen[here] = seen[here].rot90(element, (-2, -1))
        elif group == "flips" and element % 2:
            seen[here] = seen[here].flip(-1)
        elif group == "turns and flips apart":  # Z2 x Z2: not cyclic
            seen[here] = seen[here].flip([[], [-1], [-2], [-1, -2]][element])
    return seen


@pytest.mark.parametrize("seed", range(3))
def test_quarter_turns_are_found(digits: DataSet, seed: int) -> None:
    found = discover_from_views(views_of(digits.train.samples, "quarter turns", seed), PATCH)
    assert found.found
    assert found.dimension == 4
    assert found.matrix is not None
    assert found.permutation is not None
    turn = operator("rotation", PATCH, degrees=90)
    assert min(float((found.matrix - t).norm() / t.norm()) for t in (turn, turn.T)) < 1e-6
    assert any(torch.equal(found.permutation, t) for t in (turn, turn.T))
    assert float(closure_error(found.matrix, 4)) < 1e-6
    assert found.eigengap > 1e3
    assert found.eigenvalues[3] < 1e-8 < found.eigenvalues[4]


@pytest.mark.parametrize("seed", range(3))
def test_a_flip_is_found(digits: DataSet, seed: int) -> None:
    found = discover_from_views(views_of(digits.train.samples, "flips", seed), PATCH)
    assert found.dimension == 2
    assert found.matrix is not None
    flip = operator("reflection", PATCH, axis="columns")
    assert float((found.matrix - flip).norm() / flip.norm()) < 1e-6


def test_a_little_noise_is_borne(digits: DataSet) -> None:
    views = views_of(digits.train.samples, "quarter turns", 0).float()
    noisy = views + 2 * torch.randn(views.shape, generator=torch.Generator().manual_seed(0))
    found = discover_from_views(noisy, PATCH)
    assert found.dimension == 4
    assert found.permutation is not None
    assert torch.equal(found.permutation @ found.permutation, operator("rotation", PATCH, degrees=180))


@pytest.mark.parametrize("seed", range(3))
def test_unrelated_views_have_no_symmetry(digits: DataSet, seed: int) -> None:
    order = torch.randperm(len(digits.train), generator=torch.Generator().manual_seed(seed))
    unrelated = digits.train.samples[order[:960]].unflatten(0, (120, 8))
    found = discover_from_views(unrelated, PATCH)
    assert not found.found
    assert found.matrix is None
    assert "no symmetry found" in repr(found)


def test_the_same_view_again_is_no_symmetry(digits: DataSet) -> None:
    found = discover_from_views(views_of(digits.train.samples, "none", 0), PATCH)
    assert not found.found
    assert found.distinct_views == 1


def test_a_group_that_is_not_cyclic_is_named_and_has_its_generators(digits: DataSet) -> None:
    found = discover_from_views(views_of(digits.train.samples, "turns and flips apart", 0), PATCH)
    assert found.dimension == 4
    assert found.matrix is None  # no cyclic generator
    assert found.name == "C2 x C2"
    assert "the group C2 x C2" in repr(found)
    assert found.generators is not None
    flips = [operator("reflection", PATCH, axis=axis) for axis in ("rows", "columns")]
    flips.append(flips[0] @ flips[1])
    assert all(any(torch.equal(each, flip) for flip in flips) for each in found.generators)


def test_turns_and_flips_together_are_d4(digits: DataSet) -> None:
    """All eight elements of each image: 4 turns of it and of its mirror image."""
    images = digits.train.samples[:150]
    views = torch.stack(
        [(x.flip(-1) if k else x).rot90(j, (-2, -1)) for x in [images] for k in (0, 1) for j in range(4)], 1
    )
    found = discover_from_views(views, PATCH)
    assert (found.dimension, found.name) == (8, "D4")
    assert found.group is not None
    assert found.generators is not None
    assert float(groups.relation_error(found.group, found.generators)) == 0
    known = groups.closure([operator("rotation", PATCH, degrees=90), operator("reflection", PATCH)])
    for element in found.group.representation(found.generators):
        assert any(torch.equal(element, each) for each in known.elements)
    nothing = discover_from_views(digits.train.samples[:960].unflatten(0, (120, 8)), PATCH)
    assert (nothing.name, nothing.group) == ("none", None)


def test_channels_and_rectangles(digits: DataSet) -> None:
    """Each channel is turned alike; a flip acts on patches of any shape."""
    coloured = torch.cat([digits.train.samples[:1000], digits.train.samples[1000:2000]], dim=1)
    found = discover_from_views(views_of(coloured, "flips", 0), (3, 4))
    flip = operator("reflection", (3, 4), axis="columns")
    assert found.matrix is not None
    assert float((found.matrix - flip).norm()) < 1e-6


@pytest.mark.parametrize(
    ("shape", "patch", "message"),
    [
        ((5, 8, 28, 28), 4, r"views must be \(images, views, C, H, W\), got shape \(5, 8, 28, 28\)"),
        ((5, 1, 1, 8, 8), 4, "at least 2 images with 2 views"),
        ((5, 2, 1, 8, 8), 9, "patch must be from 2x2 to the images' 8x8, got 9x9"),
        ((5, 2, 1, 8, 8), 4, "views must be finite and not all zero"),
    ],
)
def test_bad_input_is_named(shape: tuple[int, ...], patch: int, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        discover_from_views(torch.zeros(shape), patch)
