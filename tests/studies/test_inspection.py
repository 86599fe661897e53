"""The study of inspection: its banks, and what it measures."""

import pytest
import torch

from lgn.transforms import act_square
from studies.inspection import cases, filters
from studies.runner import Cells


@pytest.mark.parametrize("name", cases.FAMILIES)
def test_families_give_banks_of_every_shape(name: str) -> None:
    for count, channels, n in {*cases.SHAPES}:
        bank = cases.FAMILIES[name](torch.Generator().manual_seed(0), count, channels, n)
        assert bank.shape == (count, channels, n, n)
        assert torch.isfinite(bank).all()


def test_decorrelated_and_farthest_filters_repel() -> None:
    def likeness(bank: torch.Tensor) -> float:
        flat = filters.unit(bank).flatten(1)
        return float((flat @ flat.T).fill_diagonal_(0).abs().amax(1).mean())

    plain = likeness(filters.gabors(torch.Generator().manual_seed(0), 64, 3, 7))
    for make in (filters.decorrelated, filters.farthest_point):
        assert likeness(make(torch.Generator().manual_seed(0), 64, 3, 7)) < 0.8 * plain


def test_phases_change_and_spectra_do_not() -> None:
    plain = filters.gabors(torch.Generator().manual_seed(0), 8, 3, 7)
    changed = filters.random_phases(torch.Generator().manual_seed(0), 8, 3, 7)
    assert torch.allclose(torch.fft.fft2(plain).abs(), torch.fft.fft2(changed).abs())
    assert not torch.allclose(plain, changed, atol=0.1)


@pytest.mark.parametrize("group", cases.GROUPS)
def test_planted_orbits_are_orbits(group: str) -> None:
    bank, orbit = cases.planted(torch.Generator().manual_seed(0), group, 64, 48, 0.0)
    flat = filters.unit(bank).flatten(1)
    assert int((orbit < 0).sum()) == 16
    for element in cases.GROUPS[group]:
        moved = filters.unit(act_square(bank, element)).flatten(1)
        mates = (orbit[:, None] == orbit) & (orbit[:, None] >= 0)
        best = (moved @ flat.T).abs().masked_fill(~mates, 0).amax(1)
        assert torch.allclose(best[orbit >= 0], torch.ones(48, dtype=torch.float64))


@pytest.mark.parametrize("cells", [cases.unrelated, cases.balance, cases.orbits, cases.following])
def test_a_quick_cell_is_within_its_bound(cells: Cells) -> None:
    measured = next(iter(cells(True))).measure()
    assert measured.get("at_least", 0) <= measured["rate"] <= measured.get("limit", 1)
