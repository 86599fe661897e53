"""`merge`: a new plain network with equal outputs; the original is unchanged."""

import pytest
import torch
from nn.resnet import ResNet
from torch import nn

import lgn
from lgn.nn import FreeBank, GroupConv2d, GroupLinear, OrbitBank


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def test_a_merged_network_has_the_size_of_the_plain_one() -> None:
    plain = ResNet()
    merged = lgn.merge(lgn.convert(plain, group=4))
    assert {n: v.shape for n, v in merged.state_dict().items()} == {n: v.shape for n, v in plain.state_dict().items()}


def test_linear_layers_and_biases() -> None:
    model = nn.Sequential(
        GroupConv2d(3, 2, 3, group=4, bias="set"), nn.Flatten(), GroupLinear(72, 3, group=2, generator="cyclic")
    )
    x = torch.randn(4, 3, 5, 5)
    merged = lgn.merge(model)
    assert [type(module) for module in merged] == [nn.Conv2d, nn.Flatten, nn.Linear]
    torch.testing.assert_close(merged(x), model(x), rtol=0, atol=1e-5)
    assert merged[0].bias.shape == (8,)


@pytest.mark.parametrize("training", [True, False])
def test_the_mode_is_kept(training: bool) -> None:
    model = nn.Sequential(
        GroupConv2d(3, 2, 3, group=4), GroupLinear(5, 2, group=2), OrbitBank(3, 2, (3, 3), group=4)
    ).train(training)
    assert [module.training for module in lgn.merge(model).modules()] == [training] * 4


def test_merging_draws_no_random_numbers() -> None:
    """Merging does not change the random numbers of a training."""
    model = nn.Sequential(GroupConv2d(3, 2, 3, group=4), GroupLinear(5, 2, group=2), OrbitBank(3, 2, (3, 3), group=4))
    state = torch.get_rng_state()
    lgn.merge(model)
    assert torch.equal(torch.get_rng_state(), state)


def test_a_single_bank_becomes_free_filters() -> None:
    bank = OrbitBank(3, 2, (3, 3), group=4, num_layers=2, generator="orthogonal")
    merged = lgn.merge(bank)
    assert isinstance(merged, FreeBank)
    torch.testing.assert_close(merged(), bank())
    assert merged.filters.requires_grad


def test_a_module_that_is_used_twice_stays_one() -> None:
    layer = GroupConv2d(8, 2, 3, group=4)
    merged = lgn.merge(nn.Sequential(layer, layer))
    assert merged[0] is merged[1]


@pytest.mark.parametrize("merge_first", [True, False])
def test_merging_twice_and_in_double_precision(merge_first: bool) -> None:
    model = lgn.convert(ResNet(), group=4, generator="orthogonal").eval().double()
    x = torch.randn(2, 3, 32, 32, dtype=torch.float64)
    once = lgn.merge(model)
    again = lgn.merge(once if merge_first else model)
    with torch.no_grad():
        torch.testing.assert_close(again(x), model(x))
