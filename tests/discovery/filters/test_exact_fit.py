"""Generators of groups from filters: exact without noise, better with the relations, elements in any order."""

import pytest
import torch
from studies.groups.planted import TASKS, make_bank, planted, relabelled
from torch import Tensor

from lgn import fit_generator, groups
from lgn.actions import unvec
from lgn.discovery.filters.record import Method
from lgn.groups import Group
from lgn.measures import orthogonality_error
from lgn.nn import UndeterminedWarning


def relative(found: Tensor, true: Tensor) -> float:
    return float((found - true).norm() / true.norm())


@pytest.mark.parametrize("task", TASKS)
def test_planted_groups_are_found_with_their_relations(task: str) -> None:
    group, true, patch = planted(task)
    methods: tuple[Method, ...] = ("least-squares", "relations")
    for method in methods:
        fit = fit_generator(make_bank(group, true, patch, 0.0, 7), group=group, method=method, shuffles=19)
        assert relative(fit.matrices, true) <= 1e-9
        assert fit.relation_error <= 1e-9
        assert fit.residual <= 1e-9
        assert fit.p_value == pytest.approx(1 / 20)
    noisy = make_bank(group, true, patch, 0.05, 7)
    alone = fit_generator(noisy, group=group, method="least-squares", shuffles=19)
    joint = fit_generator(noisy, group=group, method="relations", shuffles=19)
    assert relative(joint.matrices, true) < relative(alone.matrices, true) <= 0.1
    assert joint.relation_error <= 1e-9 < alone.relation_error
    if len(group.generators) > 1:
        assert fit_generator(noisy, group=group, shuffles=19).method == "relations"
    unrelated = make_bank(group, true, patch, None, 7)
    assert fit_generator(unrelated, group=group, shuffles=19).p_value > 0.05


@pytest.mark.parametrize(("task", "noise"), [("C2 x C2", 0.0), ("S3 on channels", 0.05), ("D4", 0.05)])
def test_elements_in_no_order_are_put_in_order_up_to_relabelling(task: str, noise: float) -> None:
    group, true, patch = planted(task)
    bank = make_bank(group, true, patch, noise, 3, shuffled=True)
    fit = fit_generator(bank, group=group, method="unordered", shuffles=1)
    error = min(relative(fit.matrices, each) for each in relabelled(group, true))
    assert error <= (1e-9 if noise == 0 else 0.1)
    assert fit.arrangement is not None
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


def test_the_identity_acts_where_filters_leave_the_generators_open() -> None:
    group, true = small_group()
    basis = torch.randn(1, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    subspace = torch.einsum("gij,kj->kgi", group.representation(true), basis)
    bank = torch.zeros(6, 1, 4, 2, dtype=torch.float64)
    bank[..., :3, :] = unvec(subspace, (3, 2)).flatten(0, 1).unsqueeze(1)
    with pytest.warns(UndeterminedWarning):
        fit = fit_generator(bank, group=group)
    assert fit.identifiable_dimension < 8
    assert fit.p_value == 1
    assert fit.residual <= 1e-9
    # The last row of pixels is zero in all filters.
    unknown = torch.zeros(8, dtype=torch.float64)
    unknown[3] = 1
    torch.testing.assert_close(fit.matrices @ unknown, unknown.expand(2, 8))


def test_orthogonal_generators_of_a_group() -> None:
    group, true, patch = planted("D4")
    noisy = make_bank(group, true, patch, 0.05, 7)
    orthogonal, free = (fit_generator(noisy, group="D4", method=m, shuffles=1) for m in ("procrustes", "least-squares"))
    assert float(orthogonality_error(orthogonal.matrices).max()) < 1e-12
    assert relative(orthogonal.matrices, true) < relative(free.matrices, true)
    assert orthogonal.name == "D4"
    with pytest.raises(ValueError, match="matrix"):
        _ = orthogonal.matrix
