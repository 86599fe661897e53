"""Twins: twists read from cosines are those of filters that are turned, gaps are those of distances, Holm is Holm."""

import pytest
import torch
from torch import Tensor

from lgn.discovery.networks.bank import prepare
from lgn.discovery.networks.candidates import Candidate, candidates_for
from lgn.discovery.networks.gap import gap_test, landings
from lgn.discovery.networks.twist import share_as_large, twisted, twists


def bank(count: int = 10, channels: int = 3, n: int = 5, seed: int = 0) -> Tensor:
    return prepare(torch.randn(count, channels, n, n, generator=torch.Generator().manual_seed(seed))).filters


ALL = candidates_for(3, (7, 7))


@pytest.mark.parametrize("candidate", [each for each in ALL if each.period], ids=lambda each: each.name)
def test_powers_are_those_of_a_group(candidate: Candidate) -> None:
    x = bank(n=7)
    assert torch.equal(candidate.power(x, candidate.period), x)
    assert torch.equal(candidate.power(candidate.power(x, 1), 1), candidate.power(x, 2))
    assert not torch.equal(candidate.power(x, 1), x)


@pytest.mark.parametrize("candidate", [each for each in ALL if each.period], ids=lambda each: each.name)
def test_a_twist_needs_no_filters(candidate: Candidate) -> None:
    """By the cosines of the bank as by turning every filter and starting again."""
    x = bank(n=7)
    exponents = twists(candidate.period, len(x), 5, torch.Generator().manual_seed(1))
    cosines = candidate.cosines(x)
    read = twisted(cosines if candidate.signed else cosines.abs(), exponents, candidate.period)
    for row, exponent in enumerate(exponents):
        turned = torch.stack([candidate.power(x[i : i + 1], int(h))[0] for i, h in enumerate(exponent)])
        met = candidate.power(turned, 1).flatten(1) @ turned.flatten(1).T
        met = (met if candidate.signed else met.abs()).fill_diagonal_(-torch.inf)
        closeness = -torch.log1p(-met)
        expected = (closeness.amax(1).mean() + closeness.amax(0).mean()) / 2
        assert float(read.nearness[row]) == pytest.approx(float(expected), rel=1e-4)
        assert int(read.alike[row]) == int((met.amax(1) >= 0.8).sum())


def test_gaps_are_those_of_sorted_distances() -> None:
    x = bank(20)
    flip = next(each for each in ALL if each.name == "flip columns")
    moved = flip.power(x, 1).flatten(1)
    cosines, plain = (each @ x.flatten(1).T for each in (moved, x.flatten(1)))
    found = landings(cosines.abs(), plain.abs())
    for i in range(len(x)):
        signed = torch.stack([x.flatten(1), -x.flatten(1)])
        distances = (signed - moved[i]).norm(dim=-1).amin(0)
        distances[i] = torch.inf
        near = distances.sort().values
        expected = torch.tensor([k * float((near[k] / near[k - 1]).log()) for k in (1, 2, 3)])
        assert torch.allclose(found.gaps[i], expected.double(), atol=1e-6)
        assert int(found.nearest[i]) == int(distances.argmin())


def test_near_copies_of_a_neighbour_are_one_with_it() -> None:
    x = bank(20)
    flipped = x[0:1].flip(-1)
    copies = prepare(torch.cat([x, flipped, flipped + 0.02 * torch.randn(flipped.shape, dtype=x.dtype)])).filters
    flip = next(each for each in ALL if each.name == "flip columns")
    cosines = flip.cosines(copies).abs()
    assert float(landings(cosines[1], cosines[0]).first_gap[0]) > 1  # not the gap between the two copies


def test_a_pair_is_counted_once() -> None:
    """Two filters that are each other's flips have one distance, and one landing."""
    x = bank(8)
    pairs = prepare(torch.cat([x, x.flip(-1)])).filters
    flip = next(each for each in ALL if each.name == "flip columns")
    cosines = flip.cosines(pairs).abs()
    gap = gap_test(cosines[1], cosines[0], True, 99, torch.Generator().manual_seed(0))
    assert gap.landings == 8
    assert gap.size > 1
    assert gap.p_value == pytest.approx(0.01)


def test_a_share_counts_the_bank_itself() -> None:
    assert share_as_large(torch.tensor([2.0, 1.0, 1.0, 3.0])) == 0.5


def test_the_twist_has_the_level_it_claims() -> None:
    """Filters that are drawn each by itself: p-values are uniform, so that few are small."""
    turn = next(each for each in ALL if each.name == "turn 90")
    values = []
    for seed in range(60):
        generator = torch.Generator().manual_seed(seed)
        cosines = turn.cosines(bank(16, seed=seed)).abs()
        values.append(share_as_large(twisted(cosines, twists(4, 16, 99, generator), 4).nearness))
    assert sum(p <= 0.2 for p in values) <= 20  # of 12 expected
    assert sum(p >= 0.8 for p in values) >= 4
