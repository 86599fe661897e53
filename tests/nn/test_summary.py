"""`summary`: the parameters of a model, and of the same model with free filters."""

import pytest
import torch
from nn.resnet import ResNet
from torch import nn

import lgn
from lgn.generators import make_generator
from lgn.nn import GroupConv2d, GroupLinear


def test_the_layer_of_the_paper_costs_parameters() -> None:
    """Dense 36x36 per set and channel at order 4: (36 + 36^2) / (4 * 36) = 9.25 times the free filters."""
    layer = GroupConv2d(3, 5, 6, group=4, bias=False, share="channel")
    result = lgn.summary(layer)
    assert result.stored == 15 * (36 + 36**2) == sum(parameter.numel() for parameter in layer.parameters())
    assert result.free == 15 * 4 * 36 == sum(parameter.numel() for parameter in lgn.merge(layer).parameters())
    assert result.ratio == pytest.approx(9.25)
    assert result.banks[0].break_even_order == 37
    assert "9.2" in str(result)


def test_a_small_family_saves_parameters() -> None:
    result = lgn.summary(GroupConv2d(16, 4, 3, group=4, bias=False, generator="circulant", share="layer"))
    assert (result.stored, result.free) == (4 * 16 * 9 + 9, 4 * 4 * 16 * 9)
    assert result.banks[0].break_even_order == 2
    assert "25 %" in str(result)


@pytest.mark.parametrize("family", ["dense", "orthogonal", "kronecker", "low-rank", "circulant", "cyclic"])
def test_break_even_is_the_smallest_order_that_costs_nothing(family: str) -> None:
    """Counted from layers of that order and of the one below, not from the formula."""
    even = lgn.summary(GroupConv2d(4, 2, 3, group=4, generator=family, share="layer")).banks[0].break_even_order
    for order in {max(2, even - 1), max(2, even), even + 1}:
        result = lgn.summary(GroupConv2d(4, 2, 3, group=order, generator=family, share="layer"))
        assert (result.stored <= result.free) == (order >= even)


def test_a_whole_network_counts_all_its_parameters() -> None:
    plain = ResNet()
    converted = lgn.convert(plain, group=4)
    result = lgn.summary(converted)
    assert result.stored == sum(parameter.numel() for parameter in converted.parameters())
    assert result.free == sum(parameter.numel() for parameter in plain.parameters())
    assert [bank.name for bank in result.banks] == [f"{name}.bank" for name in converted.conversion.converted]
    assert result.banks[0].family == "Dense"


def test_a_shared_generator_is_counted_once() -> None:
    shared = make_generator("dense", (3, 3), 4, (1, 1))
    model = nn.Sequential(
        GroupConv2d(3, 2, 3, group=4, bias=True, generator=shared),
        GroupConv2d(8, 2, 3, group=4, bias=True, generator=shared),
    )
    result = lgn.summary(model)
    assert result.stored == sum(parameter.numel() for parameter in model.parameters())
    assert [bank.stored for bank in result.banks] == [2 * 3 * 9 + 81, 2 * 8 * 9]
    assert result.free == sum(parameter.numel() for parameter in lgn.merge(model).parameters())


def test_a_fixed_generator_stores_nothing_to_train() -> None:
    result = lgn.summary(GroupLinear(6, 2, group=3, generator="fixed", start=torch.eye(6)))
    assert result.banks[0].stored == 12
    assert result.banks[0].break_even_order == 1


def test_a_model_without_group_layers_is_refused() -> None:
    with pytest.raises(ValueError, match="model"):
        lgn.summary(ResNet())
