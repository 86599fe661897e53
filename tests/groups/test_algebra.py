"""Lie algebras of compact groups have names."""

import pytest
import torch
from torch import Tensor

from lgn.groups.algebra import compact_name
from lgn.groups.closing import generated_by
from lgn.groups.known import dihedral


def skew_matrices(n: int) -> Tensor:
    """An orthonormal basis of so(n)."""
    rows, columns = torch.triu_indices(n, n, offset=1)
    basis = torch.zeros(len(rows), n, n, dtype=torch.float64)
    basis[torch.arange(len(rows)), rows, columns] = 0.5**0.5
    return basis - basis.mT


def blocks(*bases: Tensor) -> Tensor:
    """The direct sum of algebras of block matrices."""
    sizes = [basis.shape[-1] for basis in bases]
    whole = torch.zeros(sum(map(len, bases)), sum(sizes), sum(sizes), dtype=torch.float64)
    row = place = 0
    for basis, size in zip(bases, sizes, strict=True):
        whole[row : row + len(basis), place : place + size, place : place + size] = basis
        row, place = row + len(basis), place + size
    return whole


@pytest.mark.parametrize(("n", "name"), [(2, "so(2)"), (3, "so(3)"), (4, "so(4)"), (5, "so(5)")])
def test_rotations_have_their_name_in_any_basis(n: int, name: str) -> None:
    basis = skew_matrices(n)
    turn = torch.linalg.qr(torch.randn(n, n, generator=torch.Generator().manual_seed(n), dtype=torch.float64))[0]
    mixed = torch.linalg.qr(torch.randn(len(basis), len(basis), generator=torch.Generator().manual_seed(1)).double())[0]
    assert compact_name(turn @ torch.einsum("ij,jab->iab", mixed, basis) @ turn.T) == name


def test_a_direct_sum_has_the_names_of_its_parts() -> None:
    assert compact_name(blocks(skew_matrices(2), skew_matrices(2))) == "so(2) + so(2)"
    assert compact_name(blocks(skew_matrices(2), skew_matrices(3))) == "so(3) + so(2)"


def test_few_elements_generate_a_group() -> None:
    group = generated_by(dihedral(4), range(8))
    assert len(group.generators) == 2
    assert group.element_orders[group.generator_elements[0]] == 4
    assert group.name == "D4"
