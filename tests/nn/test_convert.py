"""`convert`: the layers that it replaces, and layers that begin at the filters of the model."""

from functools import partial
from typing import Any

import pytest
import torch
from nn.resnet import ResNet
from torch import nn

import lgn
from lgn.generators import Dense, generators_of
from lgn.nn import FilterErrorWarning, GroupConv2d, GroupLinear

CONVOLUTIONS = [
    "conv1",
    *(f"layers.{stage}.{block}.conv{i}" for stage in (0, 1) for block in (0, 1) for i in (1, 2)),
]
ignore_filter_errors = pytest.mark.filterwarnings("ignore::lgn.nn.FilterErrorWarning")


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def test_residual_network() -> None:
    model = ResNet().eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    converted = lgn.convert(model, group=4)
    conversion = converted.conversion
    assert list(conversion.converted) == CONVOLUTIONS
    assert conversion.converted["layers.1.0.conv1"] == "4 sets of 4, 3x3"
    assert list(conversion.left_alone) == ["layers.1.0.downsample.0", "fc"]
    assert all(isinstance(converted.get_submodule(name), GroupConv2d) for name in CONVOLUTIONS)
    assert not any(module.training for module in converted.modules())
    # The original is unchanged, and shares nothing with the copy.
    assert all(type(model.get_submodule(name)) is nn.Conv2d for name in CONVOLUTIONS)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    storages = {parameter.data_ptr() for parameter in model.parameters()}
    assert storages.isdisjoint(parameter.data_ptr() for parameter in converted.parameters())
    x = torch.randn(2, 3, 32, 32)
    assert converted(x).shape == model(x).shape == (2, 10)
    converted.train()(x).square().mean().backward()
    assert all(parameter.grad is not None for parameter in converted.parameters())


def test_options_of_the_convolution_are_kept() -> None:
    plain = nn.Conv2d(3, 8, (2, 3), (2, 1), (1, 2), (1, 2), padding_mode="reflect", dtype=torch.float64)
    layer = lgn.convert(plain, group=2)
    assert isinstance(layer, GroupConv2d)
    for name in ("in_channels", "out_channels", "kernel_size", "stride", "padding", "dilation", "padding_mode"):
        assert getattr(layer, name) == getattr(plain, name)
    x = torch.randn(1, 3, 9, 9, dtype=torch.float64)
    assert layer(x).shape == plain(x).shape


def test_layers_that_cannot_be_converted_are_left_alone() -> None:
    class Doubled(nn.Conv2d):
        pass

    model = nn.Sequential(
        nn.Conv2d(4, 8, 3, groups=2), nn.Conv2d(8, 8, 1), nn.Conv2d(8, 10, 3), Doubled(10, 8, 3), nn.Conv2d(8, 8, 3)
    )
    conversion = lgn.convert(model, group=4).conversion
    assert list(conversion.left_alone) == ["0", "1", "2", "3"]
    assert list(conversion.converted) == ["4"]
    assert conversion.left_alone["2"] in str(conversion)
    assert "2 sets of 4, 3x3" in str(conversion)


def test_all_kinds_of_convolutions() -> None:
    kinds = ["Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"]
    model = nn.ModuleDict({kind: getattr(nn, kind)(8, 8, 3) for kind in kinds})
    converted = lgn.convert(model, group=4, share="network")
    assert [type(converted[kind]).__name__ for kind in kinds] == [f"Group{kind}" for kind in kinds]
    sizes = [f"2 sets of 4, {size}" for size in ("3", "3x3", "3x3x3")]
    assert list(converted.conversion.converted.values()) == sizes * 2
    assert len(generators_of(converted)) == 3
    assert converted["Conv1d"].bank.generator is converted["ConvTranspose1d"].bank.generator


@pytest.mark.parametrize("share", ["set", "network"])
@pytest.mark.parametrize("family", ["dense", "orthogonal", "cyclic", "doubly-stochastic"])
def test_a_network_on_meta_is_converted_and_loads_real_weights(family: str, share: Any) -> None:
    with torch.device("meta"):
        model = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3))
    converted = lgn.convert(model, group=4, generator=family, share=share)
    assert all(value.is_meta for value in [*converted.parameters(), *converted.buffers()])
    if family != "doubly-stochastic":  # it reads its values to know when to stop
        assert converted(torch.empty(2, 3, 9, 9, device="meta")).shape == (2, 8, 5, 5)
    plain = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.Conv2d(8, 8, 3))
    real = lgn.convert(plain, group=4, generator=family, share=share)
    loaded = converted.to_empty(device="cpu")
    loaded.load_state_dict(real.state_dict())
    x = torch.randn(2, 3, 9, 9)
    torch.testing.assert_close(loaded(x), real(x))


@pytest.mark.parametrize("arguments", [{"generator": "circulant"}, {"generator": "affine"}, {"from_filters": True}])
def test_arguments_that_need_values_are_refused_on_meta(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        lgn.convert(nn.Conv2d(3, 8, 3, device="meta"), group=4, **arguments)


def test_layers_can_be_selected() -> None:
    converted = lgn.convert(ResNet(), group=4, layers=lambda name, module: name.startswith("layers.1"))
    assert list(converted.conversion.converted) == [name for name in CONVOLUTIONS if name.startswith("layers.1")]
    assert "layers" in converted.conversion.left_alone["conv1"]


@pytest.mark.parametrize("kernel_size", [3, (2, 3)], ids=str)
def test_from_filters_is_exact_with_a_generator_per_channel(kernel_size: Any) -> None:
    plain = nn.Sequential(nn.Conv2d(3, 8, kernel_size, padding=1), nn.ReLU(), nn.Conv2d(8, 8, kernel_size)).double()
    converted = lgn.convert(plain, group=4, share="channel", from_filters=True)
    x = torch.randn(2, 3, 9, 9, dtype=torch.float64)
    torch.testing.assert_close(converted(x), plain(x))
    assert max(converted.conversion.filter_error.values()) < 1e-10
    assert f"{converted.conversion.filter_error['0']:.1e}" in str(converted.conversion)


@ignore_filter_errors
@pytest.mark.parametrize("share", ["set", "layer"])
def test_from_filters_is_least_squares_otherwise(share: Any) -> None:
    model = ResNet().eval()
    converted = lgn.convert(model, group=4, share=share, from_filters=True)
    assert list(converted.conversion.filter_error) == CONVOLUTIONS
    for name, error in converted.conversion.filter_error.items():
        before, after = model.get_submodule(name).weight, converted.get_submodule(name).filters()
        assert error == pytest.approx(float((after - before).detach().norm() / before.detach().norm()), rel=1e-4)
        torch.testing.assert_close(after[::4], before[::4])  # the first filter of every set is its basis
        assert error < 2


def test_a_large_filter_error_causes_a_warning() -> None:
    with pytest.warns(FilterErrorWarning, match="from_filters"):
        lgn.convert(nn.Conv2d(16, 8, 3), from_filters=True)


def test_from_filters_finds_the_generator_of_an_orbit() -> None:
    group = GroupConv2d(3, 2, 3, group=4, generator="cyclic", share="set", bias="set").double()
    converted = lgn.convert(group.merged(), group=4, generator="cyclic", share="set", from_filters=True)
    # Three pairs in each of three channels determine the 9x9 generator.
    assert converted.conversion.filter_error[""] < 1e-8
    torch.testing.assert_close(converted.bank.generator.matrix(), group.bank.generator.matrix())


@pytest.mark.parametrize("bias", [True, False])
def test_linear_layers_on_request(bias: bool) -> None:
    model = nn.Sequential(nn.Linear(12, 8, bias), nn.ReLU(), nn.Linear(8, 3)).double()
    converted = lgn.convert(model, group=4, share="channel", linear=True, from_filters=True)
    assert isinstance(converted[0], GroupLinear)
    assert list(converted.conversion.left_alone) == ["2"]
    x = torch.randn(5, 12, dtype=torch.float64)
    torch.testing.assert_close(converted(x), model(x))


def test_a_large_dense_generator_must_be_requested_by_its_class() -> None:
    model = nn.Linear(257, 4)
    with pytest.raises(ValueError, match="generator"):
        lgn.convert(model, linear=True)
    for generator in (Dense, partial(Dense, norm=1.0), "low-rank"):
        assert isinstance(lgn.convert(model, generator=generator, linear=True), GroupLinear)
    assert isinstance(lgn.convert(nn.Linear(256, 4), linear=True), GroupLinear)


def test_one_generator_per_kernel_size_for_the_network() -> None:
    converted = lgn.convert(ResNet(), group=4, share="network")
    generators = generators_of(converted)
    assert [generator.patch for generator in generators.values()] == [(5, 5), (3, 3)]
    shared = converted.layers[0][0].conv1.bank.generator
    assert all(converted.get_submodule(name).bank.generator is shared for name in CONVOLUTIONS[1:])


def test_a_module_that_is_used_twice_is_converted_once() -> None:
    convolution = nn.Conv2d(8, 8, 3, padding=1)
    converted = lgn.convert(nn.Sequential(convolution, nn.ReLU(), convolution), group=4)
    assert converted[0] is converted[2]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"group": 1}, "group must"),
        ({"group": 3}, "model must have a layer that can be converted"),
        ({"generator": "free"}, "generator must"),
        ({"share": "all"}, "share must"),
        ({"share": "network", "from_filters": True}, "from_filters must be False"),
    ],
    ids=str,
)
def test_wrong_arguments_are_refused(arguments: dict[str, Any], message: str) -> None:
    model = nn.Sequential(nn.Conv2d(3, 8, 3))
    with pytest.raises(ValueError, match=message):
        lgn.convert(model, **arguments)
    assert type(model[0]) is nn.Conv2d
    assert not hasattr(model, "conversion")
