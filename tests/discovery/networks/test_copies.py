"""Copies: twists computed from cosines are those of transformed filters, and gaps are those of distances."""

import pytest
import torch
from torch import Tensor

from lgn.discovery.networks.copies import copies_test, twisted, twists
from lgn.discovery.networks.filter_bank import make_bank
from lgn.discovery.networks.filter_maps import FilterMap, maps_for
from lgn.discovery.networks.gap import gap_test, neighbours


def bank(count: int = 10, channels: int = 3, n: int = 5, seed: int = 0) -> Tensor:
    return make_bank(torch.randn(count, channels, n, n, generator=torch.Generator().manual_seed(seed))).filters


MAPS = maps_for(3, (7, 7))
FINITE = [filter_map for filter_map in MAPS if filter_map.order]
BY_NAME = {filter_map.transformation.name: filter_map for filter_map in MAPS}


@pytest.mark.parametrize("filter_map", FINITE, ids=lambda filter_map: filter_map.transformation.name)
def test_twists_are_computed_from_cosines(filter_map: FilterMap) -> None:
    x = bank(n=7)
    exponents = twists(filter_map.order, len(x), 5, torch.Generator().manual_seed(1))
    cosines = filter_map.cosines(x)
    nearness, alike = twisted(cosines if filter_map.kind == "sign" else cosines.abs(), exponents, filter_map.order)
    for row, exponent in enumerate(exponents):
        turned = torch.stack([filter_map.power(x[i : i + 1], int(h))[0] for i, h in enumerate(exponent)])
        met = filter_map.power(turned, 1).flatten(1) @ turned.flatten(1).T
        met = (met if filter_map.kind == "sign" else met.abs()).fill_diagonal_(-torch.inf)
        closeness = -torch.log1p(-met)
        expected = (closeness.amax(1).mean() + closeness.amax(0).mean()) / 2
        assert float(nearness[row]) == pytest.approx(float(expected), rel=1e-4)
        assert int(alike[row]) == int((met.amax(1) >= 0.8).sum())


def test_gaps_are_those_of_sorted_distances() -> None:
    x = bank(20)
    flip = BY_NAME["flip columns"]
    moved = flip.power(x, 1).flatten(1)
    cosines, plain = (filters @ x.flatten(1).T for filters in (moved, x.flatten(1)))
    found = neighbours(cosines.abs(), plain.abs())
    for i in range(len(x)):
        signed = torch.stack([x.flatten(1), -x.flatten(1)])
        distances = (signed - moved[i]).norm(dim=-1).amin(0)
        distances[i] = torch.inf
        near = distances.sort().values
        expected = torch.tensor([k * float((near[k] / near[k - 1]).log()) for k in (1, 2, 3)])
        assert torch.allclose(found.gaps[i], expected.double(), atol=1e-6)
        assert int(found.nearest[i]) == int(distances.argmin())


def test_copies_have_a_large_gap() -> None:
    """Also if there are two nearly equal copies: they count as one."""
    x = bank(8)
    nearly = x.flip(-1) + 0.02 * torch.randn(x.shape, generator=torch.Generator().manual_seed(1), dtype=x.dtype)
    for filters in (torch.cat([x, x.flip(-1)]), torch.cat([x, x.flip(-1), nearly])):
        cosines = BY_NAME["flip columns"].cosines(make_bank(filters).filters).abs()
        p_value, gap = gap_test(cosines[1], cosines[0], True, 99, torch.Generator().manual_seed(0))
        assert gap > 1
        assert p_value == pytest.approx(0.01)


def test_the_twist_has_the_level_it_claims() -> None:
    """P-values of independent filters are uniform, so that few are small."""
    turn, values = BY_NAME["turn 90"], []
    for seed in range(60):
        generator = torch.Generator().manual_seed(seed)
        cosines, exponents = turn.cosines(bank(16, seed=seed)), twists(4, 16, 99, generator)
        test = copies_test(turn, cosines, exponents, generator)
        values.append(test.detail.p_values[0])
    assert sum(p <= 0.2 for p in values) <= 20  # 12 are expected
    assert sum(p >= 0.8 for p in values) >= 4
