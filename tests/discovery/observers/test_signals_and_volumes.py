"""Observers of signals and volumes."""

import pytest
import torch

from lgn.discovery.images.division import near_duplicates
from lgn.discovery.observers import learn, mean_accuracy, network, shrink
from lgn.discovery.observers.accuracy import correctness
from lgn.discovery.observers.observer import SIDES, logits
from lgn.transforms import families_of


@pytest.fixture(autouse=True)
def _seed() -> None:
    torch.manual_seed(0)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_shrinking_commutes_with_mirrors(axes: int) -> None:
    x = torch.randn(2, 1, *(2 * SIDES[axes] + 5,) * axes)
    small = shrink(x)
    assert max(small.shape[2:]) <= SIDES[axes]
    torch.testing.assert_close(shrink(x.flip(-1)), small.flip(-1))
    assert network(small.shape[1:], 4)(small).shape == (2, 4)


def test_near_duplicates_are_found_turned_or_reversed() -> None:
    signals = torch.randn(30, 1, 64)
    signals[20:] = signals[:10].flip(-1) + 1e-3 * torch.randn(10, 1, 64)
    assert near_duplicates(signals)[20:].tolist() == list(range(10))
    cubes = torch.randn(30, 1, 8, 8, 8)
    cubes[20:] = cubes[:10].rot90(1, (2, 4)).flip(3)
    assert near_duplicates(cubes)[20:].tolist() == list(range(10))


@pytest.mark.parametrize("shape", [(1, 96), (1, 6, 6, 6)], ids=str)
def test_a_pattern_that_differs_from_place_to_place_is_found(shape: tuple[int, ...]) -> None:
    """Noise and a weak pattern: no part of it is clear evidence. Note [Signals and volumes are seen whole]."""
    x = torch.randn(1500, *shape) + 0.1 * torch.randn(shape)
    kind, candidate = ("signals", "reversal") if len(shape) == 2 else ("volumes", "mirrors")
    (family,) = families_of([candidate], kind, x)
    pair = family.restricted((0, family.transformations[0].element or 0))
    seen = logits(learn(pair, x[:1000], 0, effort=0.5), pair, x[1000:], 0)
    assert mean_accuracy(correctness(seen, pair.pairs(pair.transformations[0]))).value > 0.6
