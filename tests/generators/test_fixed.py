from typing import Any

import pytest
import torch
from generators.contract import ExactFamilyContract, random_matrix
from torch import Tensor

from lgn.generators import Fixed, make_generator


class TestFixed(ExactFamilyContract):
    family: Any = Fixed
    guarantee = "A given"
    trained = False

    def member(self, patch: tuple[int, ...], order: int = 4) -> Tensor:
        return random_matrix(patch)

    def violation(self, matrix: Tensor, patch: tuple[int, ...], order: int = 4) -> float:
        return 0.0  # every matrix can be given; that it stays is in the contract

    def test_it_takes_only_a_given_start(self) -> None:
        with pytest.raises(ValueError, match="start.*'orthogonal'"):
            make_generator("fixed", (2, 3), 4, (1, 1))

    def test_guarantee_error_sees_a_change(self) -> None:
        generator = Fixed(random_matrix((2, 3)), (2, 3))
        generator.weight.mul_(2)
        assert torch.allclose(generator.guarantee_error(), torch.ones(1, 1, dtype=torch.float64))
