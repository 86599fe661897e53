"""Generators learned from the moments of patches: a symmetry is found from random starts, and no other."""

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.answer import Answer, Defect
from lgn.data import load
from lgn.discovery.filters import learn_generator
from lgn.discovery.filters.learned import random_generators
from lgn.generators import make_generator, permutation_like, rebase
from lgn.groups import Group, as_group, relation_error
from lgn.transforms import operator


def digits() -> tuple[Tensor, Tensor]:
    train = load("digits").train
    assert train.labels is not None
    return F.avg_pool2d(train.samples.float() / 255, 2), train.labels


def turned() -> tuple[Tensor, Tensor]:
    """All four turns of every digit: quarter turns are exact, and the halves differ by the images only."""
    images, labels = digits()
    images, labels = images[::2], labels[::2]
    return torch.cat([images.rot90(k, (2, 3)) for k in range(4)]), labels.repeat(4)


def matrix_of(answer: Answer) -> Tensor:
    matrix = answer.rows[0].transformation.matrix
    assert matrix is not None
    return matrix


@pytest.mark.slow  # eight seconds; rounding decides which starts arrive
def test_a_quarter_turn_is_learned_from_random_starts() -> None:
    answer = learn_generator(*turned(), patch=(6, 6), steps=200)
    (row,) = answer.kept
    assert (answer.name, answer.question, row.transformation.order, row.needed) == ("C4", "labels", 4, None)
    turn = operator("rotation", (6, 6), degrees=90).float()
    assert min(float((matrix_of(answer) - exact).norm() / exact.norm()) for exact in (turn, turn.mT)) < 0.1


def test_upright_digits_keep_nothing() -> None:
    answer = learn_generator(*digits(), patch=(5, 5), starts=3, steps=40)
    assert answer.rows[0].verdict == "broken"
    (evidence,) = answer.rows[0].evidence
    assert isinstance(evidence.detail, Defect)
    assert evidence.value > 3 * evidence.detail.noise
    assert answer.group == as_group("trivial")


def test_few_images_decide_nothing() -> None:
    images, labels = turned()
    answer = learn_generator(images[:40], labels[:40], patch=(3, 3), group="D4", starts=2, steps=5)
    assert [row.verdict for row in answer.rows] == ["undecided", "undecided"]
    assert answer.rows[0].needed is not None
    assert 40 < answer.rows[0].needed[0] < answer.rows[0].needed[1]


def test_the_same_seed_learns_the_same() -> None:
    images, labels = turned()
    one, two = (learn_generator(images[:200], labels[:200], patch=(3, 3), starts=2, steps=5, seed=3) for _ in range(2))
    assert torch.equal(matrix_of(one), matrix_of(two))


@pytest.mark.parametrize("group", [4, "D4", "S3", 2])
def test_starts_are_orthogonal_representations_with_the_traces_of_permutations(group: int | str) -> None:
    torch.manual_seed(0)
    chosen: Group = as_group(group)
    starts = permutation_like(chosen, 25, 12)
    assert len(starts) == len(chosen.generators)
    matrices = torch.stack(starts)[:, :, 0].double()
    assert float(relation_error(chosen, matrices).max()) < 1e-5
    torch.testing.assert_close(matrices @ matrices.mT, torch.eye(25).double().expand_as(matrices), atol=1e-5, rtol=0)
    traces = matrices.diagonal(dim1=-2, dim2=-1).sum(-1)
    assert float(traces.min()) > -2.01
    assert float(traces.max()) < 7
    if group == 2:  # flips leave 1, 3 or 5 of 25 pixels in place, and the starts try all
        assert set(traces.round().flatten().tolist()) == {1.0, 3.0, 5.0}


@pytest.mark.parametrize("family", ["cyclic", "orthogonal", "dense"])
def test_moving_the_origin_leaves_the_matrices(family: str) -> None:
    torch.manual_seed(0)
    generator = make_generator(family, (3, 3), 4, (2, 1), dtype=torch.float64)
    for parameter in generator.parameters():
        parameter.data.add_(0.1 * torch.randn_like(parameter))
    before = generator.matrix().detach()
    own = list(generator.parameters())
    rebase(generator)
    torch.testing.assert_close(generator.matrix().detach(), before)
    assert all(one is other for one, other in zip(own, generator.parameters(), strict=True))


def test_exact_groups_stay_orthogonal_while_they_learn() -> None:
    torch.manual_seed(0)
    generator = random_generators("representation", (3, 3), "D4", 3)
    assert generator.options() == {"stretched": False}
    for parameter in generator.parameters():
        parameter.data.add_(0.1 * torch.randn_like(parameter))
    matrix = generator.matrix().detach()
    torch.testing.assert_close(matrix @ matrix.mT, torch.eye(9).expand_as(matrix), atol=1e-5, rtol=0)
    assert float(generator.guarantee_error().max()) < 1e-5


def test_invalid_arguments_are_named() -> None:
    images, labels = digits()
    with pytest.raises(ValueError, match="family"):
        learn_generator(images, labels, patch=(3, 3), family="none")
    with pytest.raises(ValueError, match="starts"):
        learn_generator(images, labels, patch=3, starts=0)
    with pytest.raises(ValueError, match="group"):
        learn_generator(images, labels, patch=3, group=1)
    with pytest.raises(ValueError, match="images"):
        learn_generator(images[:3], labels[:3], patch=(3, 3))
