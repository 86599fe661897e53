"""Group layers: their outputs, their training, and wrong arguments."""

import copy
import pickle
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional as F

import lgn
from lgn.actions import act, power, unvec, vec
from lgn.generators import FAMILIES, make_generator
from lgn.nn import GroupConv2d, GroupLinear, cached, project

each_share = pytest.mark.parametrize("share", ["channel", "set", "layer", "network"])
TRAINED = [family for family in FAMILIES if family != "fixed"]


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


@pytest.mark.parametrize("arguments", [{"stride": (2, 1), "dilation": (1, 2)}, {"padding_mode": "replicate"}], ids=str)
def test_every_axis_has_its_own_numbers(arguments: dict[str, Any]) -> None:
    layer = GroupConv2d(3, 2, (4, 1), group=4, padding=(1, 2), **arguments)
    plain = nn.Conv2d(3, 8, (4, 1), padding=(1, 2), **arguments)
    with torch.no_grad():
        plain.weight.copy_(layer.filters())
        plain.bias.copy_(layer.bias.repeat_interleave(4))
    x = torch.randn(2, 3, 11, 12)
    torch.testing.assert_close(layer(x), plain(x))


def test_a_linear_layer_multiplies_with_its_rows() -> None:
    layer = GroupLinear(5, 3, True, group=4, generator="orthogonal", dtype=torch.float64)
    x = torch.randn(7, 2, 5, dtype=torch.float64)
    assert layer.filters().shape == (12, 5)
    torch.testing.assert_close(layer(x), F.linear(x, layer.filters(), layer.bias))
    a, w = layer.bank.generator.matrix()[1, 0], layer.bank.basis[1].flatten()
    torch.testing.assert_close(layer.filters()[4 + 2], a @ a @ w)
    shared = GroupLinear(5, 3, group=4)
    assert shared.bias is not None
    assert shared.bias.shape == (3,)
    torch.testing.assert_close(shared(torch.zeros(1, 5))[0], shared.bias.repeat_interleave(4))


def test_the_law_holds_for_each_set_under_its_own_generator() -> None:
    layer = GroupConv2d(2, 3, (2, 3), group=4, bias="set", generator="cyclic", share="channel", dtype=torch.float64)
    x = torch.randn(9, 2, 2, 3, dtype=torch.float64)
    for k, matrices in enumerate(layer.bank.generator.matrix().detach()):
        moved = unvec(torch.einsum("cij,...ci->...cj", matrices, vec(x)), (2, 3))
        before, after = (layer(image).flatten(1).unflatten(1, (3, 4))[:, k] for image in (x, moved))
        torch.testing.assert_close(after, before.roll(-1, dims=-1))


@each_share
@pytest.mark.parametrize("family", TRAINED)
def test_all_parameters_are_trained(family: str, share: Any) -> None:
    layer = GroupConv2d(3, 2, (2, 3), group=3, generator=family, share=share)
    before = {name: value.clone() for name, value in layer.state_dict().items()}
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.01)
    for _ in range(2):
        optimizer.zero_grad()
        layer(torch.randn(2, 3, 6, 6)).square().mean().backward()
        optimizer.step()
    changed = {name for name, value in layer.state_dict().items() if not torch.equal(value, before[name])}
    assert changed == {name for name, _ in layer.named_parameters()}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_layer_has_the_given_dtype(dtype: torch.dtype) -> None:
    """A start may have another dtype than the layer."""
    start = torch.linalg.qr(torch.randn(6, 6, dtype=torch.float64))[0]
    layer = GroupConv2d(3, 2, (2, 3), group=4, start=start, bias="set", dtype=dtype)
    assert {parameter.dtype for parameter in layer.parameters()} == {dtype}
    assert layer(torch.randn(1, 3, 5, 5, dtype=dtype)).dtype == dtype


def test_cached_filters_are_for_inference_and_not_stored() -> None:
    model = nn.Sequential(GroupConv2d(3, 2, 3, group=4), GroupConv2d(8, 2, 3, group=4))
    x = torch.randn(2, 3, 8, 8)
    expected, keys = model(x).detach(), list(model.state_dict())
    with cached(model):
        assert list(model.state_dict()) == keys
        assert torch.equal(model(x), expected)
        assert not model[0].filters().requires_grad
        assert model[0].filters() is model[0].filters()
        with torch.no_grad():
            model[0].bank.basis.zero_()  # what is cached does not follow
        assert torch.equal(model(x), expected)
    assert not torch.equal(model(x), expected)
    assert model[0].filters().requires_grad
    with pytest.raises(RuntimeError, match="stop"), cached(model):
        raise RuntimeError("stop")
    assert model[0].filters().requires_grad


def test_projection_restores_norms() -> None:
    from functools import partial

    from lgn.generators import Dense
    from lgn.nn import OrbitBank

    bank = OrbitBank(3, 2, (3, 3), group=4, generator=partial(Dense, norm=2.0), basis_norm=0.5)
    with torch.no_grad():
        for parameter in bank.parameters():
            parameter.add_(torch.randn_like(parameter))
    project(nn.Sequential(bank))
    torch.testing.assert_close(bank.basis.norm(dim=(-2, -1)), torch.full((2, 3), 0.5))
    torch.testing.assert_close(bank.generator.matrix().norm(dim=(-2, -1)), torch.full((2, 1), 2.0))


def test_a_bank_of_several_layers_has_the_orbits_of_every_layer() -> None:
    """Filters are layer-major, and every layer uses its own generators."""
    from lgn.nn import OrbitBank

    for share, count in [("set", 6), ("layer", 3), ("network", 1)]:
        bank = OrbitBank(2, 2, (2, 3), group=4, num_layers=3, share=share, dtype=torch.float64)  # type: ignore[arg-type]
        matrix = bank.generator.matrix()
        assert matrix.shape == (count, 1, 6, 6)
        filters = bank().unflatten(0, (3, 2, 4))
        for layer in range(3):
            for k in range(2):
                a = matrix[{"set": layer * 2 + k, "layer": layer, "network": 0}[share], 0]
                expected = act(power(a, 3), bank.basis[layer * 2 + k])
                torch.testing.assert_close(filters[layer, k, 3], expected)


@pytest.mark.parametrize("family", TRAINED)
def test_copies_and_pickles(family: str) -> None:
    layer = GroupConv2d(3, 2, 3, group=4, generator=family)
    x = torch.randn(1, 3, 5, 5)
    for twin in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(twin(x), layer(x))
        assert repr(twin) == repr(layer)


@pytest.mark.parametrize(
    "arguments",
    [
        {"group": 1},
        {"group": -3},
        {"num_sets": 0},
        {"in_channels": 0},
        {"kernel_size": (3, 0)},
        {"start": torch.eye(8)},
        {"start": torch.zeros(9, 8)},
        {"start": torch.full((9, 9), torch.inf)},
        {"start": torch.zeros(9, 9), "generator": "orthogonal"},
        {"start": torch.ones(9, 9), "generator": "cyclic"},
        {"start": "zeros"},
        {"start": "orthogonal", "generator": "fixed"},
        {"generator": "unitary"},
        {"generator": make_generator("dense", (2, 2), 4, (1, 1))},
        {"share": "filter"},
        {"bias": "layer"},
        {"padding_mode": "mirror"},
        {"padding": "full"},
        {"stride": 2, "padding": "same"},
    ],
    ids=lambda value: next(iter(value)),
)
def test_wrong_arguments_are_named(arguments: dict[str, Any]) -> None:
    """The first argument of every case is wrong."""
    with pytest.raises(ValueError, match=f"{next(iter(arguments))} must"):
        GroupConv2d(**{"in_channels": 3, "num_sets": 2, "group": 4, "kernel_size": 3, **arguments})


@pytest.mark.parametrize("arguments", [{"group": 1}, {"start": torch.eye(7), "group": 2}], ids=["group", "start"])
def test_wrong_arguments_of_a_linear_layer_are_named(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(arguments))} must"):
        GroupLinear(8, 3, **arguments)


def test_the_signature_of_a_convolution() -> None:
    import inspect

    parameters = inspect.signature(lgn.nn.GroupConv2d).parameters
    positional = [name for name, value in parameters.items() if value.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert positional == [
        "in_channels", "num_sets", "kernel_size", "stride", "padding", "dilation", "bias", "padding_mode",
    ]  # fmt: skip
    assert [parameters[name].default for name in positional[3:]] == [1, 0, 1, "set", "zeros"]
    defaults = {"group": 4, "generator": "dense", "share": "set", "start": "orthogonal"}
    assert {name: parameters[name].default for name in defaults} == defaults
