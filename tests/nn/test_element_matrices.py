"""Filters of a known action by one product are those of the chain, and follow what they are made from."""

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
    """The filters as a learned action would make them."""
    with monkeypatch.context() as patch:
        patch.setattr(ElementMatrices, "of", lambda *_: None)
        return layer.filters()  # type: ignore[no-any-return, operator]


@pytest.mark.parametrize("group", ["C4", "D4", "C8", "D1"])
def test_filters_and_gradients_are_those_of_the_chain(group: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the first layer and of one on sets, on bases that are free and on circular harmonics."""
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


def test_matrices_that_were_written_anew_are_seen() -> None:
    """Loaded, moved to another type, copied: filters are always those of the matrices that the layer has."""
    starts = [operator("rotation", (3, 3), degrees=180).float(), operator("reflection", (3, 3), axis="columns").float()]
    layers = [GroupStackConv2d(2, 3, 3, group=2, generator="fixed", share="network", start=each) for each in starts]
    wanted = [layer.filters().detach().clone() for layer in layers]
    assert not torch.allclose(*wanted)
    layers[0].load_state_dict(layers[1].state_dict())
    assert torch.equal(layers[0].filters(), wanted[1])
    assert torch.equal(copy.deepcopy(layers[0]).filters(), wanted[1])
    assert layers[0].double().filters().dtype == torch.float64


def test_cached_filters_are_the_same_and_a_learned_action_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    known = GroupConv2d(1, 2, 3, group=4, generator="fixed", share="layer", start=TURN)
    with cached(known):
        assert torch.equal(known.filters(), by_the_chain(known, monkeypatch))
    assert known.bank.element_matrices() is not None
    assert GroupConv2d(1, 2, 3, group=4).bank.element_matrices() is None
    own = GroupConv2d(1, 2, 3, group=4, generator="fixed", share="set", start=TURN)
    assert own.bank.element_matrices() is None  # a matrix for each set
