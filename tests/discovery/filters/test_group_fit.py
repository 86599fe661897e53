"""Generators of a group from filters: exact without noise, better with the relations, elements in any order."""

import pytest
import torch
from torch import Tensor

from lgn import fit_generator, groups
from lgn.actions import unvec
from lgn.groups import Group
from lgn.nn import UndeterminedWarning
from studies.groups.planted import TASKS, make_bank, planted, relabelled


def relative(found: Tensor, true: Tensor) -> float:
    return float((found - true).norm() / true.norm())


@pytest.mark.parametrize("task", TASKS)
def test_planted_groups_are_found_with_their_relations(task: str) -> None:
    group, true, patch = planted(task)
    for method in ("least-squares", "relations"):
        fit = fit_generator(make_bank(group, true, patch, 0.0, 7), group=group, method=method, shuffles=19)  # type: ignore[call-overload]
        assert relative(fit.matrices, true) <= 1e-9
        assert fit.relation_error <= 1e-9
        assert fit.residual <= 1e-9
        assert fit.p_value == pytest.approx(1 / 20)
    noisy = make_bank(group, true, patch, 0.05, 7)
    alone = fit_generator(noisy, group=group, method="least-squares", shuffles=19)
    joint = fit_generator(noisy, group=group, shuffles=19)
    assert joint.method == "relations"
    assert relative(joint.matrices, true) < relative(alone.matrices, true) <= 0.1
    assert joint.relation_error <= 1e-9 < alone.relation_error
    unrelated = make_bank(group, true, patch, None, 7)
    assert fit_generator(unrelated, group=group, shuffles=19).p_value > 0.05


@pytest.mark.parametrize("task", ["C2 x C2", "S3 on channels", "D4"])
@pytest.mark.parametrize("noise", [0.0, 0.05])
def test_elements_in_no_order_are_put_in_order_up_to_relabelling(task: str, noise: float) -> None:
    group, true, patch = planted(task)
    bank = make_bank(group, true, patch, noise, 3, shuffled=True)
    fit = fit_generator(bank, group=group, method="unordered", shuffles=1)
    error = min(relative(fit.matrices, each) for each in relabelled(group, true))
    assert error <= (1e-9 if noise == 0 else 0.1)
    assert torch.equal(fit.arrangement.sort(1).values, torch.arange(group.order).expand(32, -1))


def small_group() -> tuple[Group, Tensor]:
    """S3 on 3 x 2 numbers, in coordinates that are not orthogonal."""
    group = groups.symmetric(3)
    swaps = torch.stack([torch.eye(3)[[1, 0, 2]], torch.eye(3)[[0, 2, 1]]]).double()
    generator = torch.Generator().manual_seed(1)
    s = torch.eye(6, dtype=torch.float64) + 0.4 * torch.randn(6, 6, generator=generator, dtype=torch.float64)
    return group, s @ torch.stack(
        [torch.kron(each, torch.eye(2, dtype=torch.float64)) for each in swaps]
    ) @ torch.linalg.inv(s)


def test_groups_that_are_not_orthogonal_stay_so() -> None:
    group, true = small_group()
    generator = torch.Generator().manual_seed(0)
    bases = torch.randn(40, 6, generator=generator, dtype=torch.float64)
    filters = torch.einsum("gij,kj->kgi", group.representation(true), bases)
    bank = unvec(filters, (3, 2)).flatten(0, 1).unsqueeze(1)
    assert relative(fit_generator(bank, group=group, shuffles=9).matrices, true) <= 1e-9
    noisy = bank + 0.01 * bank.std() * torch.randn(bank.shape, generator=generator, dtype=torch.float64)
    fit = fit_generator(noisy, group=group, shuffles=9)
    assert relative(fit.matrices, true) <= 0.02
    assert float((fit.matrices.mT @ fit.matrices - torch.eye(6)).norm()) > 0.5


def test_what_filters_leave_open_is_the_identity_and_is_said() -> None:
    group, true = small_group()
    basis = torch.randn(1, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    subspace = torch.einsum("gij,kj->kgi", group.representation(true), basis)
    bank = torch.zeros(6, 1, 4, 2, dtype=torch.float64)
    bank[..., :3, :] = unvec(subspace, (3, 2)).flatten(0, 1).unsqueeze(1)
    with pytest.warns(UndeterminedWarning, match=r"on \d of 8 dimensions"):
        fit = fit_generator(bank, group=group)
    assert fit.identifiable_dimension < 8
    assert fit.p_value == 1
    assert fit.residual <= 1e-9
    # The last row of pixels is zero in all filters: nothing is known of it, and nothing is done to it.
    unknown = torch.zeros(8, dtype=torch.float64)
    unknown[3] = 1
    torch.testing.assert_close(fit.matrices @ unknown, unknown.expand(2, 8))


def test_what_does_not_fit_is_refused() -> None:
    bank = torch.randn(16, 1, 3, 3)
    with pytest.raises(ValueError, match="order must be 8 for the group D4, or left out, got 4"):
        fit_generator(bank, 4, group="D4")
    with pytest.raises(ValueError, match="method must be one of least-squares, relations, unordered for a group"):
        fit_generator(bank, group="D4", method="procrustes")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="share must be 'layer' where a group is given"):
        fit_generator(bank, group="D4", share="set")
    with pytest.raises(ValueError, match="order or group must be given, got neither"):
        fit_generator(bank)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="at most 16 elements for method 'unordered', got 24"):
        fit_generator(torch.randn(48, 1, 3, 3), group="S4", method="unordered")
    assert "D4, relations" in repr(fit_generator(torch.randn(80, 1, 2, 2), group="D4"))
