"""Error numbers: zero for exact properties, known values otherwise."""

import math

import pytest
import torch
from torch import Tensor

from lgn.measures import (
    closure_error,
    condition_number,
    equivariance_error,
    identity_error,
    invariance_error,
    inverse_error,
    nearest_period,
    orthogonality_error,
    relative_error,
    tolerance,
)


@pytest.fixture(params=[torch.float32, torch.float64], ids=["float32", "float64"])
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


def rotation(angle: float, dtype: torch.dtype) -> Tensor:
    c, s = math.cos(angle), math.sin(angle)
    return torch.tensor([[c, -s], [s, c]], dtype=dtype)


@pytest.mark.parametrize(("order", "period"), [(4, 4), (8, 4), (6, 3)])
def test_closure_error_is_zero_where_the_period_divides_the_order(order: int, period: int, dtype: torch.dtype) -> None:
    assert float(closure_error(rotation(2 * math.pi / period, dtype), order)) <= tolerance(dtype)


def test_closure_error_of_a_rotation_that_does_not_close(dtype: torch.dtype) -> None:
    """`||R(p t) - I||_F / ||I||_F = 2 |sin(p t / 2)|`."""
    angles = [0.3, 1.0, 2.0]
    batch = torch.stack([rotation(angle, dtype) for angle in angles])
    expected = torch.tensor([2 * abs(math.sin(3 * angle / 2)) for angle in angles], dtype=dtype)
    torch.testing.assert_close(closure_error(batch, 3), expected)


def test_inverse_error_of_a_given_inverse(dtype: torch.dtype) -> None:
    a = torch.randn(5, 5, dtype=dtype, generator=torch.Generator().manual_seed(0)) + 3 * torch.eye(5, dtype=dtype)
    assert float(inverse_error(a, torch.linalg.inv(a))) <= tolerance(dtype)
    assert float(inverse_error(a, torch.zeros_like(a))) == pytest.approx(1)


def test_inverse_error_is_the_root_of_the_share_of_lost_dimensions(dtype: torch.dtype) -> None:
    assert float(inverse_error(torch.diag(torch.tensor([1.0, 2, 0, 0], dtype=dtype)))) == pytest.approx(0.5**0.5)
    assert float(inverse_error(torch.diag(torch.tensor([1.0, 2, 3, 4], dtype=dtype)))) <= tolerance(dtype)


def test_orthogonality_error(dtype: torch.dtype) -> None:
    q = torch.linalg.qr(torch.randn(3, 6, 6, dtype=dtype, generator=torch.Generator().manual_seed(0)))[0]
    assert float(orthogonality_error(q).max()) <= tolerance(dtype)
    assert float(orthogonality_error(2 * torch.eye(6, dtype=dtype))) == pytest.approx(3)


def test_condition_number(dtype: torch.dtype) -> None:
    assert float(condition_number(torch.diag(torch.tensor([1.0, -8, 2], dtype=dtype)))) == pytest.approx(8)
    assert math.isinf(float(condition_number(torch.zeros(2, 2, dtype=dtype))))


def test_relative_error_is_per_matrix() -> None:
    expected = torch.eye(3).expand(2, 3, 3)
    actual = expected * torch.tensor([1.0, 1.5]).reshape(2, 1, 1)
    torch.testing.assert_close(relative_error(actual, expected), torch.tensor([0.0, 0.5]))


def test_equivariance_error_of_any_callable() -> None:
    """Cyclic filtering commutes with shifts; multiplying by a ramp does not, by an amount that can be computed."""
    x = torch.randn(4, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(0))

    def shift(t: Tensor) -> Tensor:
        return t.roll(1, dims=-1)

    def smooth(t: Tensor) -> Tensor:
        return t + 0.5 * t.roll(1, -1).relu()

    def ramp(t: Tensor) -> Tensor:
        return t * torch.arange(8)

    assert equivariance_error(smooth, x, shift, shift) <= tolerance(x.dtype)
    expected = float((ramp(shift(x)) - shift(ramp(x))).norm() / shift(ramp(x)).norm())
    assert equivariance_error(ramp, x, shift, shift) == pytest.approx(expected)
    assert expected > 0.1


def test_equivariance_error_of_zero_is_zero() -> None:
    assert equivariance_error(torch.zeros_like, torch.ones(3), torch.neg, torch.neg) == 0


def test_invariance_error_is_the_equivariance_error_of_an_output_that_stays() -> None:
    x = torch.tensor([3.0, 4.0])
    assert invariance_error(torch.abs, x, torch.neg) == 0
    assert invariance_error(torch.sin, x, torch.neg) == pytest.approx(2)


def test_the_nearest_period_is_the_smallest_of_equal_errors(dtype: torch.dtype) -> None:
    period, error = nearest_period(rotation(2 * math.pi / 5, dtype))
    assert (period, error) == (5, pytest.approx(0, abs=tolerance(dtype)))
    period, error = nearest_period(1e100 * torch.eye(3, dtype=torch.float64))
    assert (period, error) == (1, pytest.approx(1e100))


def test_identity_error_is_per_matrix(dtype: torch.dtype) -> None:
    batch = torch.eye(3, dtype=dtype) * torch.tensor([1.0, 3.0], dtype=dtype).reshape(2, 1, 1)
    assert identity_error(batch).tolist() == pytest.approx([0, 2])
