"""The generators that map the filters of a set to each other, by least squares."""

import pytest
import torch

from lgn.actions import orbit, vec
from lgn.generators import Share, start_matrices
from lgn.generators.fit import filter_pairs, least_squares_generator
from lgn.groups import cyclic, dihedral


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


@pytest.mark.parametrize(
    ("share", "leading", "pairs"), [("channel", (2, 3), 3), ("set", (2, 1), 9), ("layer", (1, 1), 18)]
)
def test_pairs_are_those_of_all_sets_that_share_a_generator(share: Share, leading: tuple[int, int], pairs: int) -> None:
    """A column of `after` is the next element of the column of `before`."""
    generator = start_matrices("orthogonal", (1, 1), 6, dtype=torch.float64)
    filters = orbit(generator, torch.randn(2, 3, 2, 3, dtype=torch.float64), 4).transpose(0, 1)  # (2, 4, 3, 2, 3)
    before, after = filter_pairs(vec(filters), cyclic(4), share)
    assert before.shape == after.shape == (1, *leading, 6, pairs)
    torch.testing.assert_close(generator @ before, after)
    assert filter_pairs(vec(filters), cyclic(4), share, closed=True)[0].shape == (1, *leading, 6, pairs * 4 // 3)


def test_pairs_of_a_group_with_several_generators() -> None:
    group = dihedral(3)
    rho = group.regular().double()
    filters = torch.einsum("gij,kcj->kgci", rho, torch.randn(5, 2, 6, dtype=torch.float64))
    before, after = filter_pairs(filters, group, "layer")
    torch.testing.assert_close(rho[list(group.generator_elements)][:, None, None] @ before, after)


def test_enough_pairs_recover_the_generator() -> None:
    a = torch.randn(2, 1, 6, 6, dtype=torch.float64)
    before = torch.randn(2, 1, 6, 10, dtype=torch.float64)
    torch.testing.assert_close(least_squares_generator(before, a @ before), a)


def test_too_few_pairs_are_fitted_exactly_with_an_isometry_on_the_rest() -> None:
    before, after = torch.randn(2, 3, 1, 6, 2, dtype=torch.float64)
    a = least_squares_generator(before, after)
    torch.testing.assert_close(a @ before, after)
    rest = torch.linalg.svd(before)[0][..., 2:]
    moved = a @ rest
    torch.testing.assert_close(moved.mT @ moved, torch.eye(4, dtype=torch.float64).expand(3, 1, 4, 4))
    assert bool((torch.linalg.matrix_rank(a) == 6).all())


def test_pairs_that_disagree_are_fitted_by_least_squares() -> None:
    """The residual is orthogonal to the inputs."""
    before, after = torch.randn(2, 1, 1, 4, 9, dtype=torch.float64)
    residual = after - least_squares_generator(before, after) @ before
    assert float(residual.norm()) > 0.1
    assert float((residual @ before.mT).norm()) < 1e-10
