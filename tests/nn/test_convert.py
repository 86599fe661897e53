"""`convert`: which layers, what is left alone and why, and starting from the original's filters."""

from functools import partial
from typing import Any

import pytest
import torch
from nn.resnet import ResNet
from torch import nn

import lgn
from lgn.generators import Dense, generators_of
from lgn.nn import GroupConv2d, GroupLinear

CONVOLUTIONS = [
    "conv1",
    *(f"layers.{stage}.{block}.conv{i}" for stage in (0, 1) for block in (0, 1) for i in (1, 2)),
]


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def test_a_residual_network() -> None:
    model = ResNet().eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    converted = lgn.convert(model, group=4)
    conversion = converted.conversion
    assert list(conversion.converted) == CONVOLUTIONS
    assert conversion.converted["layers.1.0.conv1"] == "4 sets of 4, 3x3"
    assert conversion.left_alone == {
        "layers.1.0.downsample.0": "a 1x1 kernel has no space to act on",
        "fc": "linear layers are converted only with linear=True",
    }
    assert all(isinstance(converted.get_submodule(name), GroupConv2d) for name in CONVOLUTIONS)
    assert not any(module.training for module in converted.modules())
    # The original is as it was, and shares nothing with the copy.
    assert all(type(model.get_submodule(name)) is nn.Conv2d for name in CONVOLUTIONS)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    storages = {parameter.data_ptr() for parameter in model.parameters()}
    assert storages.isdisjoint(parameter.data_ptr() for parameter in converted.parameters())
    x = torch.randn(2, 3, 32, 32)
    assert converted(x).shape == model(x).shape == (2, 10)
    converted.train()(x).square().mean().backward()
    assert all(parameter.grad is not None for parameter in converted.parameters())


def test_arguments_are_carried_over() -> None:
    plain = nn.Conv2d(3, 8, (2, 3), (2, 1), (1, 2), (1, 2), padding_mode="reflect", dtype=torch.float64)
    layer = lgn.convert(plain, group=2)
    assert isinstance(layer, GroupConv2d)
    for name in ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "padding_mode"):
        assert getattr(layer, name) == getattr(plain, name)
    x = torch.randn(1, 3, 9, 9, dtype=torch.float64)
    assert layer(x).shape == plain(x).shape


def test_what_is_left_alone_is_said() -> None:
    class Doubled(nn.Conv2d):
        pass

    model = nn.Sequential(
        nn.Conv2d(4, 8, 3, groups=2), nn.Conv2d(8, 8, 1), nn.Conv2d(8, 10, 3), Doubled(10, 8, 3), nn.Conv2d(8, 8, 3)
    )
    conversion = lgn.convert(model, group=4).conversion
    assert conversion.left_alone == {
        "0": "it is a grouped convolution (2 groups)",
        "1": "a 1x1 kernel has no space to act on",
        "2": "its 10 outputs are not divisible by the order 4",
        "3": "Doubled may do more than the layer it is derived from",
    }
    assert list(conversion.converted) == ["4"]
    assert "its 10 outputs are not divisible by the order 4" in str(conversion)
    assert "  4: 2 sets of 4, 3x3" in str(conversion)


def test_convolutions_of_all_kinds_are_converted() -> None:
    """And those of one kernel share a generator across kinds only where they have as many axes."""
    kinds = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]
    model = nn.ModuleDict({kind: getattr(nn, kind)(8, 8, 3) for kind in kinds})
    converted = lgn.convert(model, group=4, share="network")
    assert [type(converted[kind]).__name__ for kind in kinds] == [f"Group{kind}" for kind in kinds]
    assert (
        list(converted.conversion.converted.values()) == [f"2 sets of 4, {size}" for size in ("3", "3x3", "3x3x3")] * 2
    )
    assert len(lgn.generators.generators_of(converted)) == 3
    assert converted["Conv1d"].bank.generator is converted["ConvTranspose1d"].bank.generator


@pytest.mark.parametrize("share", ["set", "network"])
@pytest.mark.parametrize("family", ["dense", "orthogonal", "cyclic", "kronecker", "low-rank", "doubly-stochastic"])
def test_a_network_on_meta_is_converted_there(family: str, share: Any) -> None:
    """The plan of a network, without values: names and shapes are those of the converted network, which it can load."""
    with torch.device("meta"):
        model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3))
    converted = lgn.convert(model, group=4, generator=family, share=share)
    assert all(value.is_meta for value in [*converted.parameters(), *converted.buffers()])
    if family != "doubly-stochastic":  # which looks at its numbers to know when to stop
        assert converted(torch.empty(2, 3, 9, 9, device="meta")).shape == (2, 8, 5, 5)
    plain = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3))
    real = lgn.convert(plain, group=4, generator=family, share=share)
    shapes = [{name: value.shape for name, value in each.state_dict().items()} for each in (converted, real)]
    assert shapes[0] == shapes[1]
    loaded = converted.to_empty(device="cpu")
    loaded.load_state_dict(real.state_dict())
    x = torch.randn(2, 3, 9, 9)
    torch.testing.assert_close(loaded(x), real(x))


@pytest.mark.parametrize("family", ["circulant", "affine"])
def test_a_family_whose_constants_meta_would_lose_is_refused_there(family: str) -> None:
    with pytest.raises(ValueError, match="generator must be all in its state_dict for a network on meta, got"):
        lgn.convert(nn.Conv2d(3, 8, 3, device="meta"), group=4, generator=family)


def test_filters_that_are_on_meta_cannot_be_started_from() -> None:
    with pytest.raises(ValueError, match="from_filters must be False for layer '' on meta, which has no filters"):
        lgn.convert(nn.Conv2d(3, 8, 3, device="meta"), group=4, from_filters=True)


def test_layers_can_be_chosen() -> None:
    converted = lgn.convert(ResNet(), group=4, layers=lambda name, module: name.startswith("layers.1"))
    assert list(converted.conversion.converted) == [name for name in CONVOLUTIONS if name.startswith("layers.1")]
    assert converted.conversion.left_alone["conv1"] == "it was not chosen"


@pytest.mark.parametrize("kernel_size", [3, (2, 3)], ids=str)
def test_starting_from_the_filters_is_exact_per_channel(kernel_size: Any) -> None:
    """With an own generator for each set and channel, where the filters but the last are independent."""
    plain = nn.Sequential(nn.Conv2d(3, 8, kernel_size, padding=1), nn.ReLU(), nn.Conv2d(8, 8, kernel_size)).double()
    converted = lgn.convert(plain, group=4, share="channel", from_filters=True)
    x = torch.randn(2, 3, 9, 9, dtype=torch.float64)
    torch.testing.assert_close(converted(x), plain(x))
    assert max(converted.conversion.filter_error.values()) < 1e-10
    assert "filters kept to" in str(converted.conversion)


def test_starting_a_residual_network_from_its_filters() -> None:
    model = ResNet().eval()
    x = torch.randn(2, 3, 32, 32)
    exact = lgn.convert(model, group=4, share="channel", from_filters=True)
    assert list(exact.conversion.filter_error) == CONVOLUTIONS
    torch.testing.assert_close(exact(x), model(x), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("share", ["set", "layer"])
def test_elsewhere_it_is_least_squares_with_the_error_of_each_layer(share: Any) -> None:
    model = ResNet().eval()
    converted = lgn.convert(model, group=4, share=share, from_filters=True)
    for name, error in converted.conversion.filter_error.items():
        before, after = model.get_submodule(name).weight, converted.get_submodule(name).filters()
        assert error == pytest.approx(float((after - before).detach().norm() / before.detach().norm()), rel=1e-4)
        # The basis of each set is its first filter; the pairs are met as well as one matrix can.
        torch.testing.assert_close(after[::4], before[::4])
        assert error < 2


def test_starting_from_filters_that_are_an_orbit_finds_the_group() -> None:
    group = GroupConv2d(3, 2, 3, group=4, generator="cyclic", share="set", bias="set").double()
    converted = lgn.convert(group.merged(), group=4, generator="cyclic", share="set", from_filters=True)
    # Three pairs of each of three channels determine the 9x9 generator: it is the cyclic one, found again.
    assert converted.conversion.filter_error[""] < 1e-8
    torch.testing.assert_close(converted.bank.generator.matrix(), group.bank.generator.matrix())


def test_a_family_that_cannot_hold_the_filters_says_so() -> None:
    conversion = lgn.convert(
        nn.Conv2d(3, 8, 3), group=4, generator="circulant", share="channel", from_filters=True
    ).conversion
    assert conversion.filter_error[""] > 0.1


@pytest.mark.parametrize("bias", [True, False])
def test_a_linear_layer_on_request(bias: bool) -> None:
    model = nn.Sequential(nn.Linear(12, 8, bias), nn.ReLU(), nn.Linear(8, 3)).double()
    converted = lgn.convert(model, group=4, share="channel", linear=True, from_filters=True)
    assert isinstance(converted[0], GroupLinear)
    assert converted.conversion.left_alone == {"2": "its 3 outputs are not divisible by the order 4"}
    x = torch.randn(5, 12, dtype=torch.float64)
    torch.testing.assert_close(converted(x), model(x))


@pytest.mark.parametrize("generator", ["dense", Dense, partial(Dense, norm=1.0)], ids=["name", "class", "partial"])
def test_large_dense_generators_are_refused_unless_forced(generator: Any) -> None:
    model = nn.Linear(257, 4)
    with pytest.raises(ValueError, match=r"fewer numbers than dense .* 257 inputs \(at most 256\), or force=True"):
        lgn.convert(model, group=4, generator=generator, linear=True)
    assert isinstance(lgn.convert(model, group=4, generator=generator, linear=True, force=True), GroupLinear)
    assert isinstance(lgn.convert(model, group=4, generator="low-rank", linear=True), GroupLinear)
    assert isinstance(lgn.convert(nn.Linear(256, 4), group=4, generator=generator, linear=True), GroupLinear)


def test_one_generator_for_the_network_by_kernel_size() -> None:
    converted = lgn.convert(ResNet(), group=4, share="network")
    generators = generators_of(converted)
    assert [generator.patch for generator in generators.values()] == [(5, 5), (3, 3)]
    shared = converted.layers[0][0].conv1.bank.generator
    assert all(converted.get_submodule(name).bank.generator is shared for name in CONVOLUTIONS[1:])


def test_a_module_that_is_used_twice_stays_one() -> None:
    convolution = nn.Conv2d(8, 8, 3, padding=1)
    converted = lgn.convert(nn.Sequential(convolution, nn.ReLU(), convolution), group=4)
    assert converted[0] is converted[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"group": 1}, "group must have at least 2 elements, got 1"),
        ({"group": 3}, "model must have a layer that can be converted, got none:\n(.|\n)*not divisible by the order 3"),
        ({"generator": "free"}, "generator must be one of dense"),
        ({"share": "all"}, "share must be one of channel, set, layer, network, got 'all'"),
        ({"share": "network", "from_filters": True}, "from_filters must be False for share='network', got True"),
    ],
    ids=str,
)
def test_bad_input_is_named_and_leaves_the_model(arguments: dict[str, Any], message: str) -> None:
    model = nn.Sequential(nn.Conv2d(3, 8, 3))
    with pytest.raises(ValueError, match=message):
        lgn.convert(model, **arguments)
    assert type(model[0]) is nn.Conv2d
    assert not hasattr(model, "conversion")
