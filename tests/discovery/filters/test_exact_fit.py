"""Generators of groups from filters: exact without noise, better with the relations, elements in any order."""

import pytest
import torch
from torch import Tensor

from lgn import fit_generator, groups
from lgn.actions import unvec
from lgn.discovery.filters.record import Method
from lgn.groups import Group
from lgn.measures import orthogonality_error
from lgn.nn import UndeterminedWarning
from lgn.transforms import operator

SIDE, SETS = 4, 32
TURN = operator("rotation", (SIDE, SIDE), degrees=90)
ROWS, COLUMNS = (operator("reflection", (SIDE, SIDE), axis=axis) for axis in ("rows", "columns"))


def blocks(*permutation: int) -> Tensor:
    """Blocks of 16 / n pixels in another order; the remaining pixels stay."""
    moved = torch.kron(torch.eye(len(permutation))[list(permutation)], torch.eye(SIDE**2 // len(permutation))).double()
    return torch.block_diag(moved, torch.eye(SIDE**2 - len(moved), dtype=torch.float64))


PLANTED = {
    "D4": torch.stack([TURN, COLUMNS]),
    "C2 x C2": torch.stack([ROWS, COLUMNS]),
    "S3": torch.stack([blocks(1, 0, 2), blocks(0, 2, 1)]),
    "C3": blocks(1, 2, 0)[None],
}


def bank_of(group: Group, matrices: Tensor, noise: float, *, shuffled: bool = False) -> Tensor:
    """Orbits of random filters with noise.  (sets * order, 1, n, n)"""
    random = torch.Generator().manual_seed(7)
    bases = torch.randn(SETS, SIDE**2, generator=random, dtype=torch.float64)
    filters = torch.einsum("gij,kj->kgi", group.representation(matrices), bases)
    filters = filters + noise * torch.randn(filters.shape, generator=random, dtype=torch.float64)
    if shuffled:
        filters = torch.stack([own[torch.randperm(group.order, generator=random)] for own in filters])
    return unvec(filters, (SIDE, SIDE)).flatten(0, 1).unsqueeze(1)


def relative(found: Tensor, true: Tensor) -> float:
    return float((found - true).norm() / true.norm())


@pytest.mark.parametrize("name", PLANTED)
def test_planted_groups_are_found_with_their_relations(name: str) -> None:
    group, true = groups.as_group(name), PLANTED[name]
    methods: tuple[Method, ...] = ("least-squares", "relations")
    for method in methods:
        fit = fit_generator(bank_of(group, true, 0.0), group=name, method=method, shuffles=19)
        assert relative(fit.matrices, true) <= 1e-9
        assert fit.relation_error <= 1e-9
        assert fit.residual <= 1e-9
        assert fit.p_value == pytest.approx(1 / 20)
    noisy = bank_of(group, true, 0.05)
    alone, joint = (fit_generator(noisy, group=group, method=method, shuffles=19) for method in methods)
    assert relative(joint.matrices, true) < relative(alone.matrices, true) <= 0.15
    assert joint.relation_error <= 1e-9 < alone.relation_error
    unrelated = torch.randn(noisy.shape, generator=torch.Generator().manual_seed(0))
    fit = fit_generator(unrelated, group=group, shuffles=19)
    assert fit.p_value > 0.05
    assert fit.method == ("relations" if len(group.generators) > 1 else "least-squares")


@pytest.mark.parametrize(("name", "noise"), [("C2 x C2", 0.0), ("S3", 0.05), ("D4", 0.05)])
def test_filters_in_random_order_show_the_elements_of_the_group(name: str, noise: float) -> None:
    """The generators are determined up to an automorphism, which permutes the elements."""
    group, true = groups.as_group(name), PLANTED[name]
    fit = fit_generator(bank_of(group, true, noise, shuffled=True), group=group, method="unordered", shuffles=1)
    elements, known = group.representation(fit.matrices), group.representation(true)
    distances = torch.linalg.matrix_norm(elements[:, None] - known) / SIDE
    assert sorted(distances.argmin(1).tolist()) == list(range(group.order))
    assert float(distances.amin(1).max()) <= (1e-9 if noise == 0 else 0.1)
    assert fit.arrangement is not None
    assert torch.equal(fit.arrangement.sort(1).values, torch.arange(group.order).expand(SETS, -1))


def small_group() -> tuple[Group, Tensor]:
    """S3 on 3 x 2 numbers, in coordinates that are not orthogonal."""
    group = groups.symmetric(3)
    swaps = torch.stack([torch.eye(3)[[1, 0, 2]], torch.eye(3)[[0, 2, 1]]]).double()
    generator = torch.Generator().manual_seed(1)
    s = torch.eye(6, dtype=torch.float64) + 0.4 * torch.randn(6, 6, generator=generator, dtype=torch.float64)
    return group, s @ torch.stack(
        [torch.kron(swap, torch.eye(2, dtype=torch.float64)) for swap in swaps]
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
    noisy = bank_of(groups.dihedral(4), PLANTED["D4"], 0.05)
    orthogonal, free = (fit_generator(noisy, group="D4", method=m, shuffles=1) for m in ("procrustes", "least-squares"))
    assert float(orthogonality_error(orthogonal.matrices).max()) < 1e-12
    assert relative(orthogonal.matrices, PLANTED["D4"]) < relative(free.matrices, PLANTED["D4"])
    assert orthogonal.name == "D4"
    with pytest.raises(ValueError, match="matrix"):
        _ = orthogonal.matrix
