"""Norm and smoothness of filters."""

import math

import pytest
import torch

from lgn.nn import GroupConv1d, GroupConv2d, UnfoldedEncoder
from lgn.training.evaluation import filter_statistics, smoothness


def test_smoothness_of_a_constant_white_noise_and_a_checkerboard() -> None:
    rows, columns = torch.meshgrid(torch.arange(6), torch.arange(6), indexing="ij")
    torch.testing.assert_close(smoothness(torch.full((2, 6, 6), -3.0)), torch.ones(2))
    torch.testing.assert_close(smoothness((-1.0) ** (rows + columns)), torch.tensor(-1.0))
    noise = torch.randn(4000, 6, 6, generator=torch.Generator().manual_seed(0))
    assert abs(float(smoothness(noise).mean())) < 4 / math.sqrt(4000 * 30)
    assert float(smoothness(torch.zeros(6, 6))) == 0


def test_smoothness_of_a_wave_is_the_cosine_of_its_step() -> None:
    angles = 2 * math.pi * torch.arange(240, dtype=torch.float64) / 12
    assert float(smoothness(torch.cos(angles), 1)) == pytest.approx(math.cos(2 * math.pi / 12), abs=0.01)


def test_statistics_follow_the_scale_of_filters() -> None:
    model = torch.nn.Sequential(UnfoldedEncoder(1, num_layers=3, num_sets=2, start="orthogonal"), torch.nn.Flatten())
    before = filter_statistics(model)
    assert before["norms"] == pytest.approx([1.0, 1.0, 1.0], abs=1e-5)
    assert before["generator_norm"] == pytest.approx(1.0, abs=1e-5)
    bank = model[0].bank
    with torch.no_grad():
        bank.basis[2:4] *= 5  # the second layer's
    after = filter_statistics(model)
    assert after["norms"] == pytest.approx([1.0, 5.0, 1.0], abs=1e-4)
    assert after["smoothness"] == pytest.approx(before["smoothness"], abs=1e-5)


def test_statistics_of_several_banks_and_of_none() -> None:
    two = torch.nn.Sequential(GroupConv2d(1, 3, 5, group=4), GroupConv1d(1, 3, 7, group=2))
    assert len(filter_statistics(two)["norms"]) == 2
    assert filter_statistics(torch.nn.Conv2d(1, 3, 5)) == {}
