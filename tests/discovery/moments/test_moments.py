"""`discover_moments` on data whose symmetries are known."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

import lgn.data
from lgn.answer import LabelMap
from lgn.discovery.moments import discover_moments
from lgn.discovery.moments.continuous import nearest_in_group
from studies.unknown import cases
from studies.unknown.searches import compare, discover

SAMPLES = 20_000
SWAP = torch.eye(4, dtype=torch.float64)[[1, 0, 2, 3]]


def skewed(count: int, d: int, seed: int = 0) -> Tensor:
    x = cases.skewed(count, d, seed).x
    return x - x.mean(0)


def planted(group: list[Tensor]) -> cases.Case:
    """Skewed numbers under random elements of a group of matrices."""
    x = skewed(SAMPLES, len(group[0]))
    which = torch.randint(len(group), (len(x),), generator=torch.Generator().manual_seed(0))
    return cases.Case((torch.stack(group)[which] @ x.unsqueeze(2))[:, :, 0], group[1:])


def swapped() -> Tensor:
    return planted([torch.eye(4, dtype=torch.float64), SWAP]).x


def circle() -> Tensor:
    """Two columns that are turned by any angle; the third column depends on their length."""
    x = skewed(SAMPLES, 4)
    angle = 2 * torch.pi * torch.rand(len(x), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    plane = torch.view_as_complex(x[:, :2].contiguous()) * torch.exp(1j * angle)
    other = x[:, 2:] + torch.stack([plane.abs(), torch.zeros_like(angle)], 1)
    return torch.cat([torch.view_as_real(plane), other], 1)


@pytest.mark.parametrize("order", [2, 3])
def test_matrices_without_a_name_are_found(order: int) -> None:
    frame = torch.randn(4, 4, generator=torch.Generator().manual_seed(order)).double() + 2 * torch.eye(4)
    cycle = torch.eye(order, dtype=torch.float64).roll(1, 0)
    cycle = torch.block_diag(*[cycle] * (4 // order), torch.eye(4 % order, dtype=torch.float64))
    matrix = frame @ cycle @ torch.linalg.inv(frame)
    case = planted([torch.linalg.matrix_power(matrix, power) for power in range(order)])
    found, answer = discover(case, starts=15)
    right = compare(found, answer, case)
    assert right["wrong"] == 0
    assert right["found"]
    assert answer.name == f"C{order}"
    assert answer.group is not None
    assert answer.group.order == order
    assert {row.element for row in answer.kept} == set(answer.group.words) - {"e"}
    covariance = torch.cov(case.x.T)
    for row in answer.kept:
        matrix = row.transformation.matrix
        assert matrix is not None
        assert row.transformation.order == order
        assert torch.allclose(torch.linalg.matrix_power(matrix, order), torch.eye(4, dtype=torch.float64), atol=1e-6)
        assert float((matrix @ covariance @ matrix.T - covariance).norm() / covariance.norm()) < 0.1


def test_an_exchange_of_columns_has_its_name_and_is_exact() -> None:
    x = swapped() + torch.tensor([3.0, 1.0, 0.0, 0.0])  # an exchange of the centred columns
    answer = discover_moments(x, kind="tables", columns=("price", "size", "age", "rent"), starts=15)
    (row,) = answer.kept
    assert row.name == "exchange columns price and size"
    assert row.transformation.matrix is not None
    assert torch.equal(row.transformation.matrix, SWAP)
    assert torch.allclose(row.transformation(x).mean(0), x.mean(0))
    assert torch.allclose(row.transformation(row.transformation(x)), x)
    assert answer.name == "C2"


def test_a_continuous_group_is_a_zero_of_the_lie_algebra() -> None:
    answer = discover_moments(circle(), kind="tables", starts=10)
    assert answer.algebra is not None
    assert answer.algebra.name == "so(2)"
    assert answer["turns of columns 1 and 2"].verdict == "kept"
    (generator,) = answer.algebra.basis
    turn = torch.tensor([[0.0, -1.0], [1.0, 0.0]], dtype=torch.float64)
    plane = generator[:2, :2]
    assert abs(float((plane * turn).sum() / plane.norm() / turn.norm())) > 0.98
    assert float(plane.norm() / generator.norm()) > 0.98


def test_points_are_rows_of_all_coordinates() -> None:
    x = swapped()
    table = discover_moments(x, kind="tables", starts=5)
    points = discover_moments(x.view(-1, 2, 2), kind="points", starts=5)
    assert points.rows[0].of("moments") is not None
    assert [row.verdict for row in points.rows] == [row.verdict for row in table.rows]
    moved = points.kept[0].transformation(x[:9].view(-1, 2, 2))
    assert torch.allclose(moved, table.kept[0].transformation(x[:9]).view(-1, 2, 2))


def test_fourth_moments_alone_decide_nothing() -> None:
    """Independent symmetric columns of one distribution: every change of signs preserves their fourth moments."""
    x = torch.rand(4_000, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64) - 0.5
    answer = discover_moments(x, kind="tables", starts=10)
    assert answer.settings["degree"] == 4
    assert answer.rows
    assert not answer.kept


@pytest.mark.parametrize("samples", [1_000, 4_000])
@pytest.mark.parametrize("kind", [cases.skewed, cases.mixture])
def test_nothing_is_claimed_of_data_without_a_symmetry(
    kind: Callable[[int, int, int], cases.Case], samples: int
) -> None:
    for seed in range(2):
        answer = discover_moments(kind(samples, 4, seed).x, kind="tables", seed=seed, starts=10)
        assert not answer.kept
        assert answer.algebra is None
        assert answer.name == "trivial"


def test_similar_columns_cannot_be_exchanged() -> None:
    """Exchanges of eight log-normal columns with a sequence of widths nearly preserve the moments."""
    answer = discover_moments(cases.skewed(10_000, 8, 200).x, kind="tables", seed=200, starts=30)
    assert any(evidence.verdict == "undecided" for row in answer.rows for evidence in row.evidence)
    assert not answer.kept


@pytest.mark.parametrize("rank", [5, 7])
def test_a_ring_that_begins_anywhere_has_no_reversal(rank: int) -> None:
    """Third moments of the profiles of digits are preserved by a reversal with a filter; fourth ones are not.

    The mean and two harmonics alone have one phase, which such a filter can always correct. There the fourth moments
    are preserved too, and the third harmonic decides.
    """
    case = cases.continuous_rings(lgn.data.load("digits").train.samples, 0)
    found, answer = discover(case, rank=rank, starts=20)
    assert compare(found, answer, case)["wrong"] == 0
    assert answer.name == "SO(2)"
    assert [row.verdict for row in answer.rows] == ["kept", *(["undecided"] if rank == 5 else [])]


def test_gaussian_data_show_nothing() -> None:
    answer = discover_moments(cases.gaussian(2_000, 5, 0).x, kind="tables")
    assert answer.settings["degree"] == 0
    assert not answer.rows
    assert answer.group is None


def test_the_flip_of_digits_is_found_and_named() -> None:
    case = cases.turned(lgn.data.load("digits").train.samples, "flip", 0)
    found, answer = discover(case, starts=20)
    assert answer.rows[0].name == "flip columns"  # 5,000 images may leave it undecided
    assert torch.equal(answer.rows[0].transformation(case.x), case.x.flip(-1))
    assert compare(found, answer, case)["wrong"] == 0


def test_a_whole_turn_is_in_the_group_of_its_generator() -> None:
    """Frequencies of 1 to 7: the slowest plane needs the longest time."""
    blocks = [torch.tensor([[0.0, -k], [k, 0.0]], dtype=torch.float64) for k in range(1, 8)]
    generator = torch.block_diag(*blocks)
    generator = generator / generator.norm()
    angle = torch.linalg.matrix_exp(70.0 * generator)
    assert nearest_in_group(angle, generator[None]) < 1e-3
    reflection = torch.diag(torch.tensor([1.0, -1.0] * 7, dtype=torch.float64))
    assert nearest_in_group(reflection, generator[None]) > 0.5


def test_repeated_rows_and_blocks_are_one_sample() -> None:
    x = cases.skewed(300, 4, 0).x
    assert not discover_moments(x.repeat(10, 1), kind="tables", starts=20).kept
    once = discover_moments(swapped()[:2_000], kind="tables", starts=5)
    blocks = torch.arange(2_000) // 2
    halved = discover_moments(swapped()[:2_000], kind="tables", starts=5, blocks=blocks)
    assert halved.settings["clarity"] != once.settings["clarity"]
    with pytest.raises(ValueError, match="samples"):
        discover_moments(x, kind="tables", blocks=torch.arange(300) // 10)


def test_classes_go_where_a_map_takes_them() -> None:
    """An exchange of columns takes each of two classes to the other."""
    swap = torch.eye(4, dtype=torch.float64)[[1, 0, 3, 2]]
    x = skewed(SAMPLES, 4, 3) + torch.tensor([2.0, 0.0, 0.0, 0.0])
    labels = torch.randint(2, (len(x),), generator=torch.Generator().manual_seed(0))
    moved = torch.where(labels[:, None] == 1, x @ swap.T, x)
    answer = discover_moments(moved, labels, kind="tables", class_names=("left", "right"), starts=10)
    (row,) = answer.kept
    assert answer.question == "labels"
    assert row.permutation == (1, 0)
    assert row.name == "exchange columns 1 and 2, exchange columns 3 and 4"
    evidence = row.of("labels")
    assert evidence is not None
    assert isinstance(evidence.detail, LabelMap)
    assert evidence.detail.effect == "permuted"
    assert answer.data.classes == ("left", "right")


@pytest.mark.parametrize(
    ("x", "options", "argument"),
    [
        (torch.randn(50, 4), {}, "samples"),
        (torch.full((500, 3), 2.0), {}, "samples"),
        (torch.tensor([[0.0, torch.nan]]).repeat(500, 1), {}, "samples"),
        (torch.randn(20, 4).repeat(30, 1), {}, "samples"),
        (torch.randn(500, 4), {"rank": 7}, "rank"),
        (torch.randn(500, 4), {"size": 8}, "size"),
        (torch.randn(500, 1, 8, 8), {"kind": "images", "patch": 9}, "patch"),
        (torch.randn(500, 1, 30), {"kind": "signals", "patch": 9}, "patch"),
        (torch.randn(500, 1, 8, 8), {"kind": "images", "size": 9}, "size"),
        (torch.randn(500, 1, 8, 8), {"kind": "images", "blur": -1.0}, "blur"),
        (torch.randn(500, 4), {"labels": torch.zeros(500, dtype=torch.long)}, "labels"),
        (torch.randn(500, 4), {"labels": torch.arange(3)}, "labels"),
        (torch.randn(500, 4), {"starts": 0}, "starts"),
    ],
)
def test_bad_input_is_refused(x: Tensor, options: dict[str, Any], argument: str) -> None:
    with pytest.raises(ValueError, match=argument):
        discover_moments(x, **{"kind": "tables", **options})
