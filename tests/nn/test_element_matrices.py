"""Filters of a fixed action by one product agree with step-by-step orbits."""

import copy

import pytest
import torch
from torch import Tensor, nn

from lgn.nn import GroupConv2d, GroupNet, cached
from lgn.nn.element_matrices import ElementFilters, ElementMatrices
from lgn.nn.group_stack import GroupStackConv2d
from lgn.transforms import operator

TURN = operator("rotation", (3, 3), degrees=90).float()


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


def by_the_chain(layer: nn.Module, monkeypatch: pytest.MonkeyPatch) -> Tensor:
    """The filters of the layer without element matrices."""
    with monkeypatch.context() as patch:
        patch.setattr(ElementMatrices, "of", lambda *_: None)
        return layer.filters()  # type: ignore[no-any-return, operator]


@pytest.mark.parametrize("group", ["C4", "D4", "C8", "D1"])
def test_filters_and_gradients_agree_with_step_by_step_orbits(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a first layer and a layer on sets, with free bases and with circular harmonics."""
    net = GroupNet(2, 3, group=group, parameters=3000, num_layers=2, dtype=torch.float64)
    for layer in net.convolutions:
        ways = layer.filters(), by_the_chain(layer, monkeypatch)
        torch.testing.assert_close(*ways)
        weights, parameters = torch.randn_like(ways[0]), list(layer.parameters())
        torch.testing.assert_close(*(torch.autograd.grad(way, parameters, weights) for way in ways))


def test_second_derivatives() -> None:
    filters, matrices, places = torch.randn(2, 3, 2, 2), torch.randn(12, 4), torch.randperm(18)
    given = filters.double().requires_grad_(), matrices.double(), places, places.argsort()
    assert torch.autograd.gradgradcheck(lambda x, *rest: ElementFilters.apply(x, *rest).square(), given)


def test_matrices_are_computed_again_after_a_change() -> None:
    """Filters follow the matrices of the layer after loading, copying and a change of dtype."""
    starts = [operator("rotation", (3, 3), degrees=180).float(), operator("reflection", (3, 3), axis="columns").float()]
    layers = [GroupStackConv2d(2, 3, 3, group=2, generator="fixed", share="network", start=start) for start in starts]
    wanted = [layer.filters().detach().clone() for layer in layers]
    assert not torch.allclose(*wanted)
    layers[0].load_state_dict(layers[1].state_dict())
    assert torch.equal(layers[0].filters(), wanted[1])
    assert torch.equal(copy.deepcopy(layers[0]).filters(), wanted[1])
    assert layers[0].double().filters().dtype == torch.float64


def test_only_fixed_and_shared_actions_have_element_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    known = GroupConv2d(1, 2, 3, group=4, generator="fixed", share="layer", start=TURN)
    with cached(known):
        assert torch.equal(known.filters(), by_the_chain(known, monkeypatch))
    assert known.bank.element_matrices() is not None
    assert GroupConv2d(1, 2, 3, group=4).bank.element_matrices() is None
    own = GroupConv2d(1, 2, 3, group=4, generator="fixed", share="set", start=TURN)
    assert own.bank.element_matrices() is None  # a matrix for each set
