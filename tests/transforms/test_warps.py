import math

import pytest
import torch
from torch.nn import functional

from lgn.actions import vec
from lgn.transforms import warps


@pytest.fixture
def patches() -> torch.Tensor:
    return torch.rand(5, 6, 7, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def sampled_by_torch(x: torch.Tensor, degrees: float, mode: str, fill: str) -> torch.Tensor:
    """The same rotation by torch's sampling, which takes (column, row) in [-1, 1]."""
    n, m = x.shape[-2:]
    angle = math.radians(degrees)
    row = torch.arange(n, dtype=x.dtype)[:, None] - (n - 1) / 2
    column = torch.arange(m, dtype=x.dtype)[None] - (m - 1) / 2
    source_row = math.cos(angle) * row + math.sin(angle) * column
    source_column = -math.sin(angle) * row + math.cos(angle) * column
    grid = torch.stack([source_column / ((m - 1) / 2), source_row / ((n - 1) / 2)], dim=-1)
    batch = x[:, None]
    return functional.grid_sample(batch, grid.expand(len(x), -1, -1, -1), mode, fill, align_corners=True)[:, 0]


@pytest.mark.parametrize("mode", warps.MODES)
@pytest.mark.parametrize("fill", warps.FILLS)
@pytest.mark.parametrize("turns", [1, 2, 3, 4])
def test_right_angles_are_exact(mode: str, fill: str, turns: int) -> None:
    x = torch.rand(3, 6, 6, dtype=torch.float64)
    assert torch.equal(warps.rotate(x, 90.0 * turns, mode, fill), torch.rot90(x, turns, (-2, -1)))


@pytest.mark.parametrize(("mode", "fill"), [("nearest", "zeros"), ("bilinear", "zeros"), ("bilinear", "reflection")])
@pytest.mark.parametrize("degrees", [17.0, 60.0, 200.0])
def test_agrees_with_torch(patches: torch.Tensor, mode: str, fill: str, degrees: float) -> None:
    mine, theirs = warps.rotate(patches, degrees, mode, fill), sampled_by_torch(patches, degrees, mode, fill)
    assert torch.allclose(mine, theirs, atol=1e-7)


def test_ties_do_not_depend_on_rounding() -> None:
    # At 45 degrees the places of the diagonal pixels lie exactly between two columns of an even patch.
    x = torch.arange(36, dtype=torch.float64).reshape(6, 6)
    turned = warps.rotate(x, 45.0)
    for degrees in (45.0 + 1e-12, 45.0 - 1e-12):
        assert torch.equal(warps.rotate(x, degrees), turned)


def test_bicubic_reproduces_quadratics_inside() -> None:
    rows, columns = torch.meshgrid(*[torch.arange(9, dtype=torch.float64) - 4] * 2, indexing="ij")
    quadratic = 1 + rows - 2 * columns + 0.5 * rows**2 + rows * columns
    scaled = warps.scale(quadratic, 2.0, mode="bicubic")
    expected = 1 + rows / 2 - columns + 0.125 * rows**2 + rows * columns / 4
    assert torch.allclose(scaled[2:-2, 2:-2], expected[2:-2, 2:-2])


def test_shear_slides_rows() -> None:
    x = torch.zeros(5, 5, dtype=torch.float64)
    x[2] = 1  # a horizontal line
    sheared = warps.shear(x, 1.0, axis="rows")
    assert torch.equal(sheared, torch.eye(5, dtype=torch.float64))
    assert torch.equal(warps.shear(x, 1.0, axis="columns"), x)


def test_scaling_up_then_down_of_a_smooth_patch_is_near_the_identity() -> None:
    rows, columns = torch.meshgrid(*[torch.linspace(-1, 1, 9, dtype=torch.float64)] * 2, indexing="ij")
    x = torch.exp(-(rows**2 + columns**2) / 0.2)
    back = warps.scale(warps.scale(x, 1.5), 1 / 1.5)
    assert (back - x).norm() < 0.2 * x.norm()
    assert (warps.scale(x, 1.5) - x).norm() > 0.3 * x.norm()


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="mode"):
        warps.rotate(torch.zeros(3, 3), 10.0, mode="cubic")
    with pytest.raises(ValueError, match="fill"):
        warps.rotate(torch.zeros(3, 3), 10.0, fill="wrap")
    with pytest.raises(ValueError, match="factor"):
        warps.scale(torch.zeros(3, 3), 0)


def test_the_generator_of_rotations_turns_a_smooth_patch() -> None:
    rows, columns = torch.meshgrid(*[torch.arange(15, dtype=torch.float64) - 7] * 2, indexing="ij")
    bump = torch.exp(-((rows - 1.5) ** 2 + columns**2) / 6)
    angle = math.radians(10)
    # Turned counter-clockwise, the bump below the centre goes to the right.
    turned = torch.exp(-((rows - 1.5 * math.cos(angle)) ** 2 + (columns - 1.5 * math.sin(angle)) ** 2) / 6)
    generator = warps.rotation_generator((15, 15))
    assert torch.equal(generator, -generator.T)
    assert float((torch.linalg.matrix_exp(angle * generator) @ vec(bump) - vec(turned)).norm() / bump.norm()) < 0.01
