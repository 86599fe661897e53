"""From layer to layer: what an equivariant network does is seen, and what resembles proves nothing."""

import pytest
import torch

from lgn.discovery.networks import carried
from studies.inspection import following
from studies.inspection.following import equivariant


def test_a_planted_network_is_solved() -> None:
    first, second = equivariant(torch.Generator().manual_seed(0))
    found = {each.name: each for each in carried(first, second)}
    assert [name for name, each in found.items() if each.carried] == ["turn 90", "turn 180"]
    assert found["turn 90"].cosine > 0.98
    assert found["flip columns"].cosine < 0.3


def test_a_second_layer_of_single_pixels_may_follow() -> None:
    first, second = equivariant(torch.Generator().manual_seed(1))
    mean = second.mean((-2, -1), keepdim=True)  # what a quarter turn leaves of a kernel
    assert {each.name for each in carried(first, mean) if each.carried} >= {"turn 90", "turn 180"}


def test_channels_that_are_used_alike_prove_nothing() -> None:
    assert following.measure("unrelated, alike filters used alike", 0)["rate"] == 0


def test_layers_must_follow_each_other() -> None:
    with pytest.raises(ValueError, match="second must have the 8 filters of first as its channels, got shape"):
        carried(torch.randn(8, 3, 5, 5), torch.randn(4, 7, 3, 3))
