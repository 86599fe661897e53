"""From layer to layer: an equivariant network is recognised, and similar filters prove nothing."""

import torch

from lgn.discovery.networks.next_layer import continuations
from studies.inspection.cases import equivariant, measure_following


def test_a_planted_network_is_recognised() -> None:
    first, second = equivariant(torch.Generator().manual_seed(0))
    found = {known.name: known for known in continuations(first, second)}
    assert [name for name, known in found.items() if known.continues] == ["turn 90", "turn 180"]
    assert found["turn 90"].cosine > 0.98
    assert found["flip columns"].cosine < 0.3


def test_the_second_layer_may_have_kernels_of_one_pixel() -> None:
    first, second = equivariant(torch.Generator().manual_seed(1))
    mean = second.mean((-2, -1), keepdim=True)  # invariant under a quarter turn
    assert {known.name for known in continuations(first, mean) if known.continues} >= {"turn 90", "turn 180"}


def test_similar_filters_that_are_used_similarly_prove_nothing() -> None:
    assert measure_following("unrelated, alike filters used alike", 0)["rate"] == 0
