"""The dimension on which filters determine a generator: counted, and compared with fits."""

import warnings
from typing import Any

import pytest
import torch
from torch import nn

from lgn.discovery.filters import fit_generator
from lgn.nn import GroupConv2d, UndeterminedWarning, UnfoldedEncoder, determined_dimension


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"share": "channel"}, (3, 16)),
        ({"share": "set"}, (6, 16)),
        ({"share": "layer"}, (12, 16)),
        ({"share": "network"}, (16, 16)),
        ({"share": "network", "tied": True}, (12, 16)),
        ({"share": "set", "generator": "low-rank"}, (6, 16)),
        ({"share": "set", "generator": "orthogonal"}, (6, 16)),
        ({"share": "set", "generator": "cyclic"}, (8, 16)),  # the last element is mapped too, to the first
        ({"share": "set", "generator": "doubly-stochastic"}, (7, 16)),  # A 1 = 1
        ({"share": "channel", "generator": "affine"}, (16, 16)),
        ({"share": "channel", "generator": "circulant"}, (16, 16)),
        ({"share": "channel", "generator": "kronecker"}, (16, 16)),
        ({"share": "set", "generator": "fixed", "start": torch.eye(16)}, (16, 16)),
        ({"generator": "free"}, (0, 0)),
    ],
)
def test_it_is_counted_by_share_and_family(changes: dict[str, Any], expected: tuple[int, int]) -> None:
    torch.manual_seed(0)
    model = nn.Sequential(UnfoldedEncoder(2, 2, 4, num_layers=3, group=4, **changes))
    assert determined_dimension(model) == expected


def test_an_orthogonal_generator_is_determined_by_all_dimensions_but_one() -> None:
    for sets, expected in ((5, 16), (4, 12)):
        model = GroupConv2d(1, sets, 4, group=4, generator="orthogonal", share="layer")
        assert determined_dimension(model) == (expected, 16)
    assert determined_dimension(GroupConv2d(1, 5, 4, group=4, generator="dense", share="layer")) == (15, 16)


def test_the_least_determined_generator_counts() -> None:
    model = nn.Sequential(GroupConv2d(1, 8, 3, group=4, share="layer"), GroupConv2d(1, 2, 5, group=4, share="layer"))
    assert determined_dimension(model) == (6, 25)


def test_a_fit_has_the_counted_rank() -> None:
    torch.manual_seed(0)
    for channels, sets in ((1, 3), (2, 2), (3, 4)):
        layer = GroupConv2d(channels, sets, 4, group=4, share="layer")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndeterminedWarning)
            fit = fit_generator(layer.bank().detach(), group=4)
        assert fit.identifiable_dimension == determined_dimension(layer)[0]
