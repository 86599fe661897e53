"""`discover_from_data` on data whose symmetries are known: found, named, and nothing claimed where there is nothing."""

import pytest
import torch
from torch import Tensor

import lgn
import lgn.data
from lgn.discovery.moments.lie import nearest_in_group
from studies.unknown import cases
from studies.unknown.score import compare

SAMPLES = 20_000


def skewed(count: int, d: int, seed: int = 0) -> Tensor:
    return cases.skewed(count, d, seed).x


def planted(d: int, group: list[Tensor], seed: int = 0) -> cases.Case:
    """Skewed numbers under a group of matrices drawn at random."""
    x = skewed(SAMPLES, d, seed)
    x = x - x.mean(0)
    which = torch.randint(len(group), (len(x),), generator=torch.Generator().manual_seed(seed))
    return cases.Case((torch.stack(group)[which] @ x.unsqueeze(2))[:, :, 0], group[1:])


def conjugated(group: list[Tensor], seed: int) -> list[Tensor]:
    frame = torch.randn(len(group[0]), len(group[0]), generator=torch.Generator().manual_seed(seed)).double()
    frame = frame + 2 * torch.eye(len(frame))
    return [frame @ each @ torch.linalg.inv(frame) for each in group]


@pytest.mark.parametrize("order", [2, 3])
def test_matrices_without_a_name_are_found(order: int) -> None:
    group = conjugated(cases.cyclic(4, order, torch.Generator().manual_seed(order)), order)
    case = planted(4, group)
    found = lgn.discover_from_data(case.x, starts=15)
    right = compare(found, case)
    assert right["wrong"] == 0
    assert right["found"], found
    assert found.group.name == f"C{order}"
    assert {each.period for each in found.kept} >= {order}
    # What is claimed is a map of x: applied to centred x, it leaves the covariance as it is.
    x = case.x - case.x.mean(0)
    covariance = x.T @ x / len(x)
    for each in found.kept:
        moved = each.matrix @ covariance @ each.matrix.T
        assert float((moved - covariance).norm() / covariance.norm()) < 0.1


def test_a_permutation_of_coordinates_has_its_name() -> None:
    group = [torch.eye(4, dtype=torch.float64), torch.eye(4, dtype=torch.float64)[[1, 0, 2, 3]]]
    found = lgn.discover_from_data(planted(4, group).x, starts=15)
    assert [each.name for each in found.kept] == ["coordinates 0->1, 1->0"]
    exact = found.kept[0].exact
    assert exact is not None
    assert torch.equal(exact, group[1])
    assert "C2" in found.sentence
    assert "0-&gt;1" in found._repr_html_()


def test_a_continuous_group_is_a_zero_of_the_lie_algebra() -> None:
    x = skewed(SAMPLES, 4)
    x = x - x.mean(0)
    angle = 2 * torch.pi * torch.rand(len(x), generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    plane = torch.view_as_complex(x[:, :2].contiguous()) * torch.exp(1j * angle)
    # Its length goes with the third coordinate, which the moments then see.
    other = x[:, 2:] + torch.stack([plane.abs(), torch.zeros_like(angle)], 1)
    turned = torch.cat([torch.view_as_real(plane), other], 1)
    found = lgn.discover_from_data(turned, starts=10)
    assert [each.verdict for each in found.lie] == ["kept"], found
    generator = found.lie[0].matrix
    truth = torch.zeros(4, 4, dtype=torch.float64)
    truth[0, 1], truth[1, 0] = -1, 1
    lowered = found.frame.lower(truth)
    lowered = lowered - lowered.T
    inner = found.frame.lower(generator)
    assert abs(float((inner * lowered).sum() / inner.norm() / lowered.norm())) > 0.98
    assert found.lie[0].ratio < 0.1


def test_fourth_moments_alone_decide_nothing() -> None:
    """Independent coordinates that are alike in size have fourth moments that any signs keep; third ones vanish."""
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(4_000, 4, generator=generator, dtype=torch.float64) - 0.5
    found = lgn.discover_from_data(x, starts=10)
    assert found.degree == 4
    assert not found.kept
    assert "decide nothing alone" in found.notes[0]


@pytest.mark.parametrize("samples", [1_000, 4_000])
@pytest.mark.parametrize("kind", [cases.skewed, cases.mixture])
def test_nothing_is_claimed_of_data_without_a_symmetry(kind: object, samples: int) -> None:
    for seed in range(2):
        found = lgn.discover_from_data(kind(samples, 4, seed).x, seed=seed, starts=10)  # type: ignore[operator]
        assert not found.kept, found
        assert not [each for each in found.lie if each.verdict == "kept"]


def test_coordinates_that_are_alike_are_not_called_exchangeable() -> None:
    """Eight log-normal coordinates in a row of widths: exchanges of neighbours nearly keep moments, by the dozen."""
    found = lgn.discover_from_data(cases.skewed(10_000, 8, 200).x, seed=200, starts=30)
    assert not found.kept
    assert any("other maps nearly keep" in note for note in found.notes)


@pytest.mark.parametrize("rank", [5, 7])
def test_a_ring_that_begins_anywhere_has_no_reversal(rank: int) -> None:
    """Third moments of the profiles of digits are kept by a reversal with a filter; fourth ones are not.

    With the mean and two harmonics alone there is one phase, which such a filter can always put right, and fourth
    moments are kept as well: there the reversal is followed to the third harmonic, where it ends.
    """
    case = cases.continuous_rings(lgn.data.load("digits").train.samples, 0)
    found = lgn.discover_from_data(case.x, rank=rank, starts=20)
    assert compare(found, case)["wrong"] == 0
    assert any("not on the next ones" in note for note in found.notes) == (rank == 5)


def test_gaussian_data_show_nothing() -> None:
    found = lgn.discover_from_data(cases.gaussian(2_000, 5, 0).x)
    assert found.degree == 0
    assert not found.elements
    assert "third moments cannot be told from none" in found.sentence


def test_the_flip_of_digits_is_found_and_named() -> None:
    images = lgn.data.load("digits").train.samples
    case = cases.turned(images, "flip", 0)
    found = lgn.discover_from_data(case.x, starts=20)
    assert found.elements[0].name == "flip columns", found  # 5,000 images may leave it undecided
    assert compare(found, case)["wrong"] == 0


def test_a_whole_turn_is_in_the_group_of_its_generator() -> None:
    """Frequencies of 1 to 7: the slowest plane needs the longest time."""
    blocks = [torch.tensor([[0.0, -k], [k, 0.0]], dtype=torch.float64) for k in range(1, 8)]
    generator = torch.block_diag(*blocks)
    generator = generator / generator.norm()
    angle = torch.linalg.matrix_exp(70.0 * generator)
    assert nearest_in_group(angle, generator[None]) < 1e-3
    reflection = torch.diag(torch.tensor([1.0, -1.0] * 7, dtype=torch.float64))
    assert nearest_in_group(reflection, generator[None]) > 0.5


def test_repeated_rows_are_no_evidence() -> None:
    """The same rows many times over say no more than once: noise is that of the different ones."""
    x = cases.skewed(300, 4, 0).x
    found = lgn.discover_from_data(x.repeat(10, 1), starts=20)
    assert not found.kept


def test_classes_go_where_a_map_takes_them() -> None:
    """Two classes that an exchange of coordinates takes to each other: kept with the classes exchanged."""
    swap = torch.eye(4, dtype=torch.float64)[[1, 0, 3, 2]]
    x = skewed(SAMPLES, 4, 3)
    x = x - x.mean(0) + torch.tensor([2.0, 0.0, 0.0, 0.0])
    labels = torch.randint(2, (len(x),), generator=torch.Generator().manual_seed(0))
    moved = torch.where(labels[:, None] == 1, x @ swap.T, x)
    found = lgn.discover_from_data(moved, labels, starts=10)
    assert [each.classes for each in found.kept] == [(1, 0)], found
    assert found.kept[0].name == "coordinates 0->1, 1->0, 2->3, 3->2"


@pytest.mark.parametrize(
    ("x", "options", "words"),
    [
        (torch.randn(50, 4), {}, "at least 128 samples"),
        (torch.randn(500), {}, "must be a tensor"),
        (torch.full((500, 3), 2.0), {}, "constant columns"),
        (torch.tensor([[0.0, torch.nan]]).repeat(500, 1), {}, "finite"),
        (torch.randn(20, 4).repeat(30, 1), {}, "different samples"),
        (torch.randn(500, 4), {"rank": 7}, "rank must be from 2 to 4"),
        (torch.randn(500, 4), {"size": 8}, "images"),
        (torch.randn(500, 1, 8, 8), {"patch": 9}, "patch must be"),
        (torch.randn(500, 4), {"labels": torch.zeros(500, dtype=torch.long)}, "2 classes"),
        (torch.randn(500, 4), {"labels": torch.zeros(3, dtype=torch.long)}, "500 whole numbers"),
        (torch.randn(500, 4), {"starts": 0}, "starts must be at least 1"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(x: Tensor, options: dict[str, object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        lgn.discover_from_data(x, **options)  # type: ignore[arg-type]
