import math
from typing import Any

import pytest
import torch
from generators.contract import FamilyContract, random_matrix, train
from torch import Tensor

from lgn.generators import Cyclic, start_matrices
from lgn.measures import closure_error
from lgn.warning import LgnWarning


def rotations(d: int, order: int, turns: list[int]) -> Tensor:
    """2x2 rotations by multiples of `2 pi / p`; the rest of the diagonal is 1."""
    matrix = torch.eye(d, dtype=torch.float64)
    for i, turn in enumerate(turns):
        angle = 2 * math.pi * turn / order
        c, s = math.cos(angle), math.sin(angle)
        matrix[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = torch.tensor([[c, -s], [s, c]], dtype=torch.float64)
    return matrix


class TestCyclic(FamilyContract):
    """The projection is a documented approximation: eigenvalues are rounded, eigenvectors kept."""

    family: Any = Cyclic
    guarantee = "A^p = I"

    def member(self, patch: tuple[int, ...], order: int = 4) -> Tensor:
        """A rotation in a basis that is not orthogonal, with repeated angles and an eigenvalue 1."""
        d = math.prod(patch)
        r = rotations(d, order, [1 + i % (order - 1) for i in range(d // 2)]) if d > 1 else -torch.eye(1).double()
        s = random_matrix(patch)[0, 0]
        return (s @ r @ torch.linalg.inv(s))[None, None]

    def violation(self, matrix: Tensor, patch: tuple[int, ...], order: int = 4) -> float:
        product = matrix
        for _ in range(order - 1):
            product = product @ matrix
        eye = torch.eye(matrix.shape[-1], dtype=matrix.dtype)
        return float(((product - eye).norm(dim=(-2, -1)) / eye.norm()).max())

    def is_rigid(self, patch: tuple[int, ...]) -> bool:
        return patch == (1, 1)  # 1 or -1

    @pytest.fixture(autouse=True)
    def _identity_is_expected(self, request: pytest.FixtureRequest) -> None:
        """A single pixel near 1 rounds to 1; the warning is tested below."""
        if "(1, 1)" in request.node.name:
            request.node.add_marker(pytest.mark.filterwarnings("ignore:start rounds to the identity"))

    @pytest.mark.parametrize("order", [2, 3, 4, 6, 8])
    def test_a_cyclic_generator_is_closed_after_a_thousand_steps(self, order: int) -> None:
        generator = Cyclic(start_matrices("orthogonal", (1, 1), 36), (6, 6), order)
        before = generator.matrix().detach().clone()
        train(generator, steps=1000, learning_rate=1e-2)
        assert generator.matrix().dtype == torch.float32
        assert float(closure_error(generator.matrix().detach(), order)) <= 1e-5
        assert self.violation(generator.matrix().detach(), (6, 6), order) <= 1e-5
        assert float((generator.matrix().detach() - before).norm()) > 0.1 * float(before.norm())

    @pytest.mark.parametrize("order", [2, 3, 4, 5, 6, 8])
    @pytest.mark.parametrize("patch", [(2, 3), (3, 3)], ids=str)
    def test_a_member_of_any_order_is_kept(self, patch: tuple[int, ...], order: int) -> None:
        member = self.member(patch, order)
        generator = Cyclic(member, patch, order)
        assert float(generator.start_distance) <= 1e-9
        permutation = torch.eye(order, dtype=torch.float64).roll(1, 0)[None, None]  # the regular representation
        assert float(Cyclic(permutation, (order, 1), order).start_distance) <= 1e-12

    @pytest.mark.parametrize("order", [2, 3, 4, 5, 6, 8])
    def test_eigenvalues_are_rounded_to_roots_of_unity_and_stay(self, order: int) -> None:
        """The eigenvalues are the rounded eigenvalues of the start; training does not change them."""
        start = start_matrices("orthogonal", (1, 1), 9, dtype=torch.float64)
        generator = Cyclic(start, (3, 3), order)
        step = 2 * math.pi / order
        rounded = []
        for value in torch.linalg.eigvals(start[0, 0]):
            if abs(float(value.imag)) < 1e-9 and order % 2:
                rounded.append(0)  # the only real root of an odd order is 1
            else:
                rounded.append(round(math.atan2(float(value.imag), float(value.real)) / step) % order)
        for _ in range(2):
            values = torch.linalg.eigvals(generator.matrix()[0, 0].detach())
            torch.testing.assert_close(values.abs(), torch.ones(9, dtype=torch.float64))
            turns = torch.atan2(values.imag, values.real) / step
            assert sorted(round(float(turn)) % order for turn in turns) == sorted(rounded)
            assert float((turns - turns.round()).abs().max()) < 1e-6
            train(generator, steps=20)

    def test_the_condition_of_s_is_bounded(self) -> None:
        """The condition number of A is at most that of P, squared. See Note [Conditioning of S]."""
        generator = Cyclic(start_matrices("orthogonal", (1, 1), 9), (3, 3), 4)
        train(generator, steps=300, learning_rate=1.0)
        assert float(torch.linalg.cond(generator.matrix().detach())) <= 4**2 * 1.01
        assert float(closure_error(generator.matrix().detach(), 4)) <= 1e-5

    def test_nearly_dependent_eigenvectors_are_replaced_by_the_polar_factor(self) -> None:
        start = torch.eye(6, dtype=torch.float64) * -1
        start[0, 1] = 1.0  # a Jordan block
        generator = Cyclic(start[None, None], (2, 3), 4)
        assert self.violation(generator.matrix().detach(), (2, 3)) <= 1e-12
        assert 0 < float(generator.start_distance) < 1

    def test_a_start_that_rounds_to_the_identity_warns(self) -> None:
        with pytest.warns(LgnWarning, match="identity"):
            Cyclic(start_matrices("identity", (1, 1), 9), (3, 3), 4)
