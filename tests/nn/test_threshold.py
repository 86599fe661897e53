"""Soft thresholding is eq. 4, and the proximal map of the l1 norm."""

import torch

from lgn.nn import soft_threshold


def test_it_is_equation_4() -> None:
    u = torch.tensor([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 3.0])
    assert soft_threshold(u, 1.0).tolist() == [-2, 0, 0, 0, 0, 0, 2]
    assert soft_threshold(u, 1.0, two_sided=False).tolist() == [0, 0, 0, 0, 0, 0, 2]
    torch.testing.assert_close(soft_threshold(u, 0.7), torch.sign(u) * torch.relu(u.abs() - 0.7))


def test_it_is_the_proximal_map_of_the_l1_norm() -> None:
    """`argmin_z 1/2 (z - u)^2 + lambda |z|`, over all numbers or those that are not negative, found on a grid."""
    grid = torch.linspace(-4, 4, 8001, dtype=torch.float64)
    for u in torch.linspace(-3, 3, 13, dtype=torch.float64):
        value = 0.5 * (grid - u) ** 2 + 0.8 * grid.abs()
        assert abs(float(soft_threshold(u, 0.8) - grid[value.argmin()])) < 1e-3
        value = torch.where(grid < 0, torch.inf, value)
        assert abs(float(soft_threshold(u, 0.8, two_sided=False) - grid[value.argmin()])) < 1e-3


def test_the_threshold_broadcasts_over_filters() -> None:
    u, threshold = torch.randn(2, 3, 4, 5), torch.tensor([0.1, 0.5, 2.0])
    together = soft_threshold(u, threshold.view(-1, 1, 1))
    for channel, value in enumerate(threshold.tolist()):
        torch.testing.assert_close(together[:, channel], soft_threshold(u[:, channel], value))


def test_a_negative_threshold_counts_as_zero_if_two_sided() -> None:
    u = torch.randn(100)
    torch.testing.assert_close(soft_threshold(u, -0.5), u)
    torch.testing.assert_close(soft_threshold(u, torch.tensor(-0.5)), u)
    torch.testing.assert_close(soft_threshold(u, -0.5, two_sided=False), torch.relu(u + 0.5))
