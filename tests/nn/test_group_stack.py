"""Equivariance through depth, for a known cyclic generator."""

import pytest
import torch
from torch import Tensor, nn

from lgn.generators import Fixed
from lgn.measures import equivariance_error
from lgn.nn import GroupConv2d, GroupStackConv2d, SetBatchNorm2d, advance, merge, pool_sets, soft_threshold
from lgn.nn.group_stack import StackBank
from lgn.transforms import operator


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


class SetThreshold(nn.Module):
    """A soft threshold per set."""

    def __init__(self, num_sets: int, order: int) -> None:
        super().__init__()
        self.order, self.threshold = order, nn.Parameter(torch.rand(num_sets))

    def forward(self, codes: Tensor) -> Tensor:
        return soft_threshold(codes, self.threshold.repeat_interleave(self.order).view(-1, 1, 1))


def three_layers(kernel: int, matrix: Tensor, order: int, stacked: bool = True) -> nn.Sequential:
    """Convolutions, normalisation, thresholds and biases, all shared within sets."""
    rotation = Fixed(matrix.float()[None, None], (kernel, kernel), order)

    def further(sets_in: int, sets: int) -> nn.Module:
        if stacked:
            return GroupStackConv2d(sets_in, sets, kernel, group=order, padding=kernel // 2, generator=rotation)
        return GroupConv2d(
            sets_in * order, sets, kernel, group=order, padding=kernel // 2, bias="set", generator=rotation
        )

    model = nn.Sequential(
        GroupConv2d(2, 3, kernel, group=order, padding=kernel // 2, bias="set", generator=rotation, share="layer"),
        SetBatchNorm2d(3, group=order),
        SetThreshold(3, order),
        further(3, 4),
        SetBatchNorm2d(4, group=order),
        nn.ReLU(),
        further(4, 2),
    )
    with torch.no_grad():  # statistics that are not trivial
        for _ in range(3):
            model(torch.randn(8, 2, 9, 9) + 0.3)
    return model.eval()


@pytest.mark.parametrize("kernel", [3, 5])
def test_quarter_turns_go_through_three_layers(kernel: int) -> None:
    model = three_layers(kernel, operator("rotation", (kernel, kernel), degrees=90), 4)
    x = torch.randn(4, 2, 12, 12)
    for steps in (1, 2, 3):
        error = equivariance_error(
            model,
            x,
            lambda images, k=steps: images.rot90(k, (-2, -1)),
            lambda codes, k=steps: advance(codes.rot90(k, (-2, -1)), k, group=4),
        )
        assert error <= 1e-4, steps


def test_flips_go_through_three_layers() -> None:
    model = three_layers(3, operator("reflection", (3, 3)), 2)
    x = torch.randn(4, 2, 8, 10)
    error = equivariance_error(model, x, lambda i: i.flip(-1), lambda codes: advance(codes.flip(-1), group=2))
    assert error <= 1e-4


def test_layers_that_ignore_the_sets_are_not_equivariant() -> None:
    model = three_layers(3, operator("rotation", (3, 3), degrees=90), 4, stacked=False)
    x = torch.randn(4, 2, 12, 12)
    error = equivariance_error(
        model, x, lambda i: i.rot90(1, (-2, -1)), lambda c: advance(c.rot90(1, (-2, -1)), group=4)
    )
    assert error > 0.1


def test_what_is_pooled_over_sets_only_turns() -> None:
    model = three_layers(3, operator("rotation", (3, 3), degrees=90), 4)
    x = torch.randn(2, 2, 12, 12)
    pooled, turned = (pool_sets(model(images), group=4) for images in (x, x.rot90(1, (-2, -1))))
    torch.testing.assert_close(turned, pooled.rot90(1, (-2, -1)), atol=1e-4, rtol=1e-4)
    with pytest.raises(ValueError, match=r"codes must have channels in sets of 4, got shape \(2, 6, 3, 3\)"):
        pool_sets(torch.zeros(2, 6, 3, 3), group=4)


def test_filters_against_the_definition() -> None:
    layer = GroupStackConv2d(2, 3, 3, group=4, generator="cyclic", dtype=torch.float64)
    assert isinstance(layer.bank, StackBank)
    a, basis = layer.bank.orbits.generator.matrix()[0, 0], layer.bank.orbits.basis.unflatten(1, (2, 4))
    filters = layer.filters().unflatten(1, (2, 4)).unflatten(0, (3, 4))  # (sets, j, in_sets, i, n, m)
    for j in range(4):
        for i in range(4):
            source = basis[:, :, (i - j) % 4].transpose(-2, -1).flatten(-2)  # column by column
            expected = source @ torch.linalg.matrix_power(a, j).T
            torch.testing.assert_close(filters[:, j, :, i].transpose(-2, -1).flatten(-2), expected)


def test_merging_keeps_the_outputs_and_gradients_flow() -> None:
    model = nn.Sequential(GroupStackConv2d(2, 3, 3, group=4, padding=1))
    x = torch.randn(2, 8, 6, 6)
    torch.testing.assert_close(merge(model)(x), model(x))
    model(x).square().mean().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())
    with pytest.raises(ValueError, match="in_sets must be at least 1, got 0"):
        GroupStackConv2d(0, 3, 3, group=4)
