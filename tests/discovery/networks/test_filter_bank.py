"""Compared filters: their centre is that of their energy, without means, of unit norm; dead filters are left out."""

import pytest
import torch

from lgn.discovery.networks.filter_bank import make_bank


def filters(count: int = 12, n: int = 7, channels: int = 3, seed: int = 0) -> torch.Tensor:
    return torch.randn(count, channels, n, n, generator=torch.Generator().manual_seed(seed))


def test_filters_have_no_mean_and_unit_norm() -> None:
    bank = make_bank(5 * filters() + 3)
    assert torch.allclose(bank.filters.mean((-2, -1)), torch.zeros(12, 3, dtype=torch.float64), atol=1e-12)
    assert torch.allclose(bank.filters.flatten(1).norm(dim=1), torch.ones(12, dtype=torch.float64))
    assert bank.window == (0, 6, 0, 6)


@pytest.mark.parametrize(
    ("rows", "columns", "window"),
    [
        (slice(1, 7), slice(1, 7), (1, 6, 1, 6)),  # half a pixel down and right
        (slice(0, 6), slice(1, 7), (0, 5, 1, 6)),  # up and right
        (slice(2, 7), slice(1, 6), (2, 6, 1, 5)),  # a whole pixel down alone: a square of five about it
        (slice(0, 7), slice(0, 7), (0, 6, 0, 6)),
    ],
)
def test_the_window_is_the_square_about_the_energy(rows: slice, columns: slice, window: tuple[int, ...]) -> None:
    weights = torch.zeros(40, 3, 7, 7)
    weights[:, :, rows, columns] = filters(40)[:, :, rows, columns]
    assert make_bank(weights).window == window


@pytest.mark.parametrize("n", [7, 3])
def test_windows_are_square_and_have_at_least_three_pixels(n: int) -> None:
    weights = torch.zeros(40, 1, n, n)
    weights[:, :, 1:] = filters(40, n, 1)[:, :, 1:]  # half a pixel down
    top, bottom, left, right = make_bank(weights).window
    assert bottom - top == right - left >= 2


def test_dead_and_constant_filters_are_left_out_and_counted() -> None:
    weights = filters()
    weights[2], weights[5], weights[7] = 0, 1e-6 * weights[5], 1.0
    bank = make_bank(weights)
    assert bank.dead == (2, 5)
    assert bank.flat == (7,)
    assert bank.numbers.tolist() == [0, 1, 3, 4, 6, 8, 9, 10, 11]
    assert len(make_bank(torch.zeros(8, 3, 5, 5)).filters) == 0


@pytest.mark.parametrize(
    "weights",
    [
        torch.ones(3, 3, 3),
        torch.ones(4, 3, 1, 1),
        torch.full((4, 3, 5, 5), float("nan")),
        torch.ones(4, 3, 5, 5, dtype=torch.int8),
        torch.ones(0, 3, 5, 5),
    ],
)
def test_other_tensors_are_refused(weights: torch.Tensor) -> None:
    with pytest.raises(ValueError, match="source must"):
        make_bank(weights)
