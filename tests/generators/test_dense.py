from functools import partial
from typing import Any

import pytest
import torch
from generators.contract import ExactFamilyContract, random_matrix
from torch import Tensor

from lgn.generators import Dense


class TestDense(ExactFamilyContract):
    family: Any = Dense
    guarantee = "A free"

    def member(self, patch: tuple[int, ...], order: int = 4) -> Tensor:
        return random_matrix(patch)

    def violation(self, matrix: Tensor, patch: tuple[int, ...], order: int = 4) -> float:
        return 0.0  # nothing holds by construction

    def test_any_start_is_kept_exactly(self) -> None:
        start = torch.zeros(1, 1, 6, 6)
        assert torch.equal(Dense(start, (2, 3)).matrix(), start)


class TestDenseOfUnitNorm(ExactFamilyContract):
    family: Any = partial(Dense, norm=1.0)
    guarantee = "A free"

    def member(self, patch: tuple[int, ...], order: int = 4) -> Tensor:
        matrix = random_matrix(patch)
        return matrix / matrix.norm()

    def violation(self, matrix: Tensor, patch: tuple[int, ...], order: int = 4) -> float:
        return float((matrix.square().sum((-2, -1)).sqrt() - 1).abs().max())

    def is_rigid(self, patch: tuple[int, ...]) -> bool:
        return patch == (1, 1)

    def test_the_norm_is_kept_only_by_projecting(self) -> None:
        generator = Dense(random_matrix((2, 3)), (2, 3), norm=1.0)
        with torch.no_grad():
            generator.weight.mul_(3)
        assert float(generator.guarantee_error()) == pytest.approx(2)
        generator.project_()
        assert float(generator.guarantee_error()) == pytest.approx(0, abs=1e-12)
        assert "||A||_F = 1" in repr(generator)

    def test_bad_norms_are_named(self) -> None:
        with pytest.raises(ValueError, match=r"norm must be positive, got 0\.0"):
            Dense(random_matrix((2, 3)), (2, 3), norm=0.0)
        with pytest.raises(ValueError, match="start.*zero"):
            Dense(torch.zeros(1, 1, 6, 6), (2, 3), norm=1.0)
