"""Evidence from a network: pooled orbits of T give equal outputs for x and T x."""

import pytest
import torch
from torch import nn

from lgn.actions import matrix_of
from lgn.answer import Gain
from lgn.discovery.images import gain
from lgn.nn import GroupConv2d
from lgn.transforms import symmetry_of_square


@pytest.mark.parametrize(("element", "order"), [(1, 4), (4, 2)])
def test_pooled_orbits_give_x_and_t_x_the_same_answer_and_free_filters_do_not(element: int, order: int) -> None:
    x = torch.randn(5, 2, 10, 10, generator=torch.Generator().manual_seed(0))
    moved = torch.rot90(x, 1, (-2, -1)) if order == 4 else x.flip(-1)
    matrix = matrix_of(symmetry_of_square(element), (3, 3)).float()
    torch.manual_seed(0)
    layer = GroupConv2d(2, gain.FILTERS // order, 3, group=order, bias="set", generator="fixed", start=matrix)
    layers = (layer, nn.Conv2d(2, gain.FILTERS, 3))
    orbits, free = (gain.PooledSets(convolution, order, 4).eval() for convolution in layers)
    torch.testing.assert_close(orbits(moved), orbits(x), rtol=1e-4, atol=1e-5)
    assert not torch.allclose(free(moved), free(x), rtol=1e-2)


def test_the_gain_is_the_difference_of_mean_accuracies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gain, "EPOCHS", 1)
    random = torch.Generator().manual_seed(0)
    training, test = (torch.randn(count, 1, 8, 8, generator=random) for count in (60, 37))
    labels = torch.arange(60) % 2
    found = gain.network_gain(symmetry_of_square(4), (training, labels), (test, labels[:37]), 2, 0)
    assert isinstance(found.detail, Gain)
    assert found.value == pytest.approx(100 * (found.detail.accuracy - found.detail.free))
    assert found.interval is not None
    assert found.interval[0] < found.value < found.interval[1]
    assert found.detail.images == 60
