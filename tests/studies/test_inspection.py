"""The benchmark of inspection: its banks are what they say, its cells measure, and its page marks what is missed."""

import pytest
import torch

from lgn.discovery.networks.candidates import SQUARE
from studies import inspection
from studies.cells import cells_of
from studies.inspection import filters, planted, unrelated
from studies.inspection.page import describe


@pytest.mark.parametrize("name", unrelated.FAMILIES)
def test_families_give_banks_of_every_shape(name: str) -> None:
    for count, channels, n in {*unrelated.SHAPES}:
        bank = unrelated.FAMILIES[name](torch.Generator().manual_seed(0), count, channels, n)
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


@pytest.mark.parametrize("group", planted.GROUPS)
def test_planted_orbits_are_orbits(group: str) -> None:
    bank, orbit = planted.planted(torch.Generator().manual_seed(0), group, 64, 48, 0.0)
    flat = filters.unit(bank).flatten(1)
    elements = [each for each in SQUARE if each.name in planted.GROUPS[group]]
    assert int((orbit < 0).sum()) == 16
    for each in elements:
        moved = filters.unit(each.power(bank, 1)).flatten(1)
        mates = (orbit[:, None] == orbit) & (orbit[:, None] >= 0)
        best = (moved @ flat.T).abs().masked_fill(~mates, 0).amax(1)
        assert torch.allclose(best[orbit >= 0], torch.ones(48, dtype=torch.float64))


def test_a_cell_of_each_part_measures_and_the_page_marks_what_is_missed() -> None:
    one = {part: next(iter(cells_of(inspection.MODULES, part, quick=True))) for part in inspection.MODULES}
    cells = [{"key": cell.key, **cell.measure(), "processor_seconds": 1.0} for cell in one.values()]
    words = describe({"cells": cells})
    assert "missed" not in words
    for title in ("Unrelated banks", "Planted orbits", "Balance", "From layer to layer"):
        assert title in words
    cells[0]["rate"] = 1.0
    assert describe({"cells": cells}).count("missed") == 2  # of its family, and of all
