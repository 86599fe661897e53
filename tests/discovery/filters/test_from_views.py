"""Groups from images that are seen under unknown elements."""

import pytest
import torch
from torch import Tensor

from lgn import groups
from lgn.data.dataset import DataSet
from lgn.discovery.filters import discover_from_views
from lgn.linalg import nearest_permutation
from lgn.measures import closure_error
from lgn.transforms import operator

PATCH = (4, 4)


def views_of(images: Tensor, group: str, seed: int, count: int = 120, views: int = 8) -> Tensor:
    """Views of every image under random elements.  (images, views, C, H, W)"""
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
        elif group == "turns and flips apart":
            seen[here] = seen[here].flip([[], [-1], [-2], [-1, -2]][element])
    return seen


@pytest.mark.parametrize("seed", range(3))
def test_quarter_turns_are_found(digits: DataSet, seed: int) -> None:
    found = discover_from_views(views_of(digits.train.samples, "quarter turns", seed), patch=PATCH)
    assert found.found
    assert found.algebra_dimension == 4
    turn = operator("rotation", PATCH, degrees=90)
    assert min(float((found.matrix - t).norm() / t.norm()) for t in (turn, turn.T)) < 1e-6
    assert any(torch.equal(nearest_permutation(found.matrix), t) for t in (turn, turn.T))
    assert float(closure_error(found.matrix, 4)) < 1e-6
    assert found.eigengap > 1e3


@pytest.mark.parametrize("seed", range(3))
def test_a_flip_is_found(digits: DataSet, seed: int) -> None:
    found = discover_from_views(views_of(digits.train.samples, "flips", seed), patch=PATCH)
    assert found.algebra_dimension == 2
    flip = operator("reflection", PATCH, axis="columns")
    assert float((found.matrix - flip).norm() / flip.norm()) < 1e-6


def test_quarter_turns_are_found_with_noise(digits: DataSet) -> None:
    views = views_of(digits.train.samples, "quarter turns", 0).float()
    noisy = views + 2 * torch.randn(views.shape, generator=torch.Generator().manual_seed(0))
    found = discover_from_views(noisy, patch=PATCH)
    assert found.algebra_dimension == 4
    permutation = nearest_permutation(found.matrix)
    assert torch.equal(permutation @ permutation, operator("rotation", PATCH, degrees=180))


@pytest.mark.parametrize("seed", range(3))
def test_unrelated_views_have_no_symmetry(digits: DataSet, seed: int) -> None:
    order = torch.randperm(len(digits.train), generator=torch.Generator().manual_seed(seed))
    unrelated = digits.train.samples[order[:960]].unflatten(0, (120, 8))
    found = discover_from_views(unrelated, patch=PATCH)
    assert not found.found
    assert len(found.matrices) == 0
    assert (found.name, found.group) == ("none", None)
    assert "none" in repr(found)


def test_the_same_view_again_is_no_symmetry(digits: DataSet) -> None:
    found = discover_from_views(views_of(digits.train.samples, "none", 0), patch=PATCH)
    assert not found.found
    assert found.algebra_dimension == 1


def test_a_group_that_is_not_cyclic_is_named_and_has_its_generators(digits: DataSet) -> None:
    found = discover_from_views(views_of(digits.train.samples, "turns and flips apart", 0), patch=PATCH)
    assert found.algebra_dimension == 4
    assert found.name == "C2 x C2"
    assert "C2 x C2" in repr(found)
    flips = [operator("reflection", PATCH, axis=axis) for axis in ("rows", "columns")]
    flips.append(flips[0] @ flips[1])
    assert all(any(torch.equal(matrix, flip) for flip in flips) for matrix in found.matrices)


def test_turns_and_flips_together_are_d4(digits: DataSet) -> None:
    """The views of every image are the four turns of the image and of its mirror image."""
    images = digits.train.samples[:150]
    views = torch.stack(
        [(x.flip(-1) if k else x).rot90(j, (-2, -1)) for x in [images] for k in (0, 1) for j in range(4)], 1
    )
    found = discover_from_views(views, patch=PATCH)
    assert (found.algebra_dimension, found.name) == (8, "D4")
    assert found.group is not None
    assert float(groups.relation_error(found.group, found.matrices)) == 0
    known = groups.from_matrices([operator("rotation", PATCH, degrees=90), operator("reflection", PATCH)])
    for element in found.group.representation(found.matrices):
        assert any(torch.equal(element, other) for other in known.elements)


def test_channels_and_rectangles(digits: DataSet) -> None:
    """All channels are flipped together, and patches may be rectangles."""
    coloured = torch.cat([digits.train.samples[:1000], digits.train.samples[1000:2000]], dim=1)
    found = discover_from_views(views_of(coloured, "flips", 0), patch=(3, 4))
    flip = operator("reflection", (3, 4), axis="columns")
    assert float((found.matrix - flip).norm()) < 1e-6


@pytest.mark.parametrize(
    ("shape", "patch", "argument"),
    [
        ((5, 8, 28, 28), 4, "views"),
        ((5, 1, 1, 8, 8), 4, "views"),
        ((5, 2, 1, 8, 8), 9, "patch"),
        ((5, 2, 1, 8, 8), 4, "zero"),
    ],
)
def test_invalid_arguments_are_named(shape: tuple[int, ...], patch: int, argument: str) -> None:
    with pytest.raises(ValueError, match=argument):
        discover_from_views(torch.zeros(shape), patch=patch)
