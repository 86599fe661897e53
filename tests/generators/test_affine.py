import math
from typing import Any

import pytest
import torch
from generators.contract import FamilyContract
from torch import Tensor

from lgn.actions import matrix_of
from lgn.generators import Affine, make_generator
from lgn.transforms import operator


def centred(patch: tuple[int, ...]) -> Tensor:
    """The coordinates of the pixels from the centre, column by column.  -> (axes, d)"""
    places = []
    for axis, size in enumerate(patch):
        along = torch.arange(size, dtype=torch.float64).repeat_interleave(math.prod(patch[:axis]))
        places.append(along.repeat(math.prod(patch[axis + 1 :])) - (size - 1) / 2)
    return torch.stack(places)


class TestAffine(FamilyContract):
    family: Any = Affine
    guarantee = "A x(s) = x(M s + b)"

    def member(self, patch: tuple[int, ...], order: int = 4) -> Tensor:
        """A small rotation that reads inside the patch only."""
        angle, shrink = float(torch.rand(())) * 0.2, 0.7
        linear = shrink * torch.eye(len(patch))
        if len(patch) > 1:
            turn = torch.tensor([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])
            linear[-2:, -2:] = shrink * turn
        places = centred(patch)
        read = linear.double() @ places * (torch.tensor(patch)[:, None] > 1)  # a line of pixels is read along itself
        weights = (1 - (read[:, :, None] - places[:, None, :]).abs()).clamp_min(0).prod(0)
        return weights[None, None]

    def violation(self, matrix: Tensor, patch: tuple[int, ...], order: int = 4) -> float:
        """Rows have weights on at most two pixels per axis; the centres of rows with sum 1 are an affine map."""
        places = centred(patch).T
        worst = max(float(-matrix.min()), float(matrix.sum(-1).max()) - 1, 0.0)
        for single in matrix.flatten(0, 1).double():
            assert int((single > 1e-3).sum(-1).max()) <= 2 ** len(patch)
            inside = single.sum(-1) > 1 - 1e-5
            known = torch.cat([places[inside], torch.ones(int(inside.sum()), 1, dtype=torch.float64)], -1)
            centres = single[inside] @ places
            if len(known):
                left = centres - known @ (torch.linalg.pinv(known) @ centres)
                worst = max(worst, float(left.abs().max()))
        return worst

    def is_rigid(self, patch: tuple[int, ...]) -> bool:
        return math.prod(patch) == 1

    @pytest.mark.parametrize("degrees", [30, 45, 90, 137, -60])
    def test_a_rotation_is_kept_with_its_angle(self, degrees: float) -> None:
        rotation = operator("rotation", (6, 6), degrees=degrees, mode="bilinear")
        generator = Affine(rotation[None, None], (6, 6))
        torch.testing.assert_close(generator.matrix()[0, 0].detach(), rotation, atol=1e-6, rtol=0)
        geometry = generator.geometry()
        assert float(geometry.degrees) == pytest.approx(degrees, abs=1e-4)
        assert float(geometry.scale) == pytest.approx(1, abs=1e-6)
        assert float(geometry.shear) == pytest.approx(0, abs=1e-6)
        assert float(geometry.stretch) == pytest.approx(1, abs=1e-6)

    def test_scale_and_reflection_are_measured(self) -> None:
        double = operator("scaling", (7, 7), factor=2.0)
        assert float(Affine(double[None, None], (7, 7)).geometry().scale) == pytest.approx(2)
        reflected = Affine(operator("reflection", (5, 5))[None, None], (5, 5)).geometry()
        assert float(reflected.stretch) == pytest.approx(-1)
        assert float(reflected.degrees) == pytest.approx(0)

    def test_stretch_and_shift_of_a_signal(self) -> None:
        places = torch.arange(9, dtype=torch.float64) - 4
        read = -0.5 * places + 1  # backwards, twice as long, and moved
        stretched = (1 - (read[:, None] - places).abs()).clamp_min(0)
        generator = Affine(stretched[None, None], (9,))
        torch.testing.assert_close(generator.matrix()[0, 0].detach(), stretched)
        geometry = generator.geometry()
        assert [float(number) for number in geometry] == pytest.approx([0, 2, 0, -1, 2])
        assert sum(parameter.numel() for parameter in generator.parameters()) == 2

    def test_the_symmetries_of_a_cube_are_members(self) -> None:
        turned = matrix_of(lambda x: x.rot90(1, (-2, -1)).flip(-3), (3, 3, 3))
        generator = Affine(turned[None, None], (3, 3, 3))
        torch.testing.assert_close(generator.matrix()[0, 0].detach(), turned)
        with pytest.raises(ValueError, match="patch"):
            generator.geometry()

    def test_images_have_six_parameters(self) -> None:
        generator = make_generator("affine", (9, 7), 4, (1, 1), torch.eye(63))
        assert sum(parameter.numel() for parameter in generator.parameters()) == 6

    def test_training_finds_a_rotation_from_far_away(self) -> None:
        """The gradient leads from 60 to 90 degrees, for filters and their rotations by 90 degrees."""
        target = operator("rotation", (6, 6), degrees=90)
        generator = Affine(operator("rotation", (6, 6), degrees=60, mode="bilinear")[None, None], (6, 6))
        # Smooth filters: for white noise, the loss hardly depends on an angle far from the target.
        filters = operator("blur", (6, 6), sigma=1.0) @ torch.randn(36, 50, dtype=torch.float64)
        optimizer = torch.optim.Adam(generator.parameters(), lr=0.02)
        for _ in range(200):
            optimizer.zero_grad()
            (generator.matrix()[0, 0] @ filters - target @ filters).square().mean().backward()
            optimizer.step()
        assert float(generator.geometry().degrees) == pytest.approx(90, abs=1)
