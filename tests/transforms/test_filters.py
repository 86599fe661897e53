import pytest
import torch
from torch.nn import functional

from lgn.transforms import filters


@pytest.mark.parametrize("radius", [1, 2, 3, 4, 5, 6])
def test_pooling_is_the_mean_of_its_window(radius: int) -> None:
    x = torch.rand(4, 1, 6, 7, dtype=torch.float64)
    before, after = (radius - 1) // 2, radius // 2
    padded = functional.pad(x, (before, after, before, after), mode="reflect")
    assert torch.allclose(filters.pool(x, radius), functional.avg_pool2d(padded, radius, stride=1))


def test_an_even_window_reaches_down_and_right() -> None:
    x = torch.zeros(5, 5, dtype=torch.float64)
    x[2, 2] = 4
    assert filters.pool(x, 2)[1:3, 1:3].tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize("radius", [0, 8])
def test_radius_is_checked(radius: int) -> None:
    with pytest.raises(ValueError, match="radius"):
        filters.pool(torch.zeros(4, 5), radius)


def test_blur_keeps_constants_and_spreads_a_point_evenly() -> None:
    constant = torch.full((6, 6), 3.0, dtype=torch.float64)
    assert torch.allclose(filters.blur(constant, 1.3), constant)
    point = torch.zeros(13, 13, dtype=torch.float64)
    point[6, 6] = 1
    blurred = filters.blur(point, 1.0)
    place = torch.arange(13, dtype=torch.float64) - 6
    assert torch.allclose(blurred, blurred.T)
    assert torch.allclose(blurred, blurred.flip(0))
    assert float((blurred.sum(1) * place**2).sum()) == pytest.approx(1.0, abs=0.05)  # the variance along an axis
    with pytest.raises(ValueError, match="sigma"):
        filters.blur(point, 0.0)


@pytest.mark.parametrize(("axis", "dim"), [("rows", 0), ("columns", 1)])
@pytest.mark.parametrize("kind", ["centred", "forward"])
def test_derivative_of_a_ramp_is_its_slope(axis: str, dim: int, kind: str) -> None:
    rows, columns = torch.meshgrid(*[torch.arange(6, dtype=torch.float64)] * 2, indexing="ij")
    ramp = 3 * (rows, columns)[dim]
    inside = filters.differentiate(ramp, axis, kind)[1:-1, 1:-1]
    assert torch.equal(inside, torch.full_like(inside, 3.0))
    across = filters.differentiate(ramp.T, axis, kind)[1:-1, 1:-1]
    assert torch.equal(across, torch.zeros_like(across))
