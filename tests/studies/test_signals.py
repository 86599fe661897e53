"""The benchmark of signals and volumes: its sets are what they say, its cells measure, and its page counts."""

import pytest
import torch
from torch import Tensor

from lgn.discovery.images import volumes
from lgn.transforms import move_axes
from studies import signals as benchmark
from studies.cells import cells_of
from studies.signals import planted
from studies.signals.signals import CASES, chirps, jumps, process, pulses
from studies.signals.volumes import fields


def skewed(x: Tensor) -> Tensor:
    """Moments of the third order, `E[x_t^2 x_(t+3)]`, which reversal and sign change where they are not kept."""
    return (x[..., :-3] ** 2 * x[..., 3:]).mean()


def covariance(x: Tensor) -> Tensor:
    flat = x.flatten(1).double()
    flat = flat - flat.mean(0)
    return flat.T @ flat / len(flat)


def drawn(make, count: int = 20_000) -> Tensor:  # type: ignore[no-untyped-def]
    return make(count, torch.Generator().manual_seed(0))


def test_the_process_is_stationary_and_reversible() -> None:
    """Its covariance is Toeplitz, and it is Gaussian: reversal and sign are kept. It is no ring."""
    x = drawn(process)
    found = covariance(x)
    for lag in (0, 1, 5):
        along = found.diagonal(lag)
        assert float((along - along.mean()).abs().max()) < 0.1 * float(found.diagonal().mean())
    assert abs(float(skewed(x) - skewed(x.flip(-1)))) < 0.1
    assert float(found[0, -1].abs()) < 0.1 < float(found[0, 1])


def test_jumps_have_an_arrow_of_time_that_their_covariance_does_not_show() -> None:
    """What comes after a jump is larger than what came before: fourth moments say so, second ones do not."""
    x = drawn(jumps)
    found = covariance(x)
    assert float((found - found.flip(0, 1)).norm() / found.norm()) < 0.1
    before, after = ((each[..., 3:] ** 3 * each[..., :-3]).mean() for each in (x, x.flip(-1)))
    assert float(after / before) > 1.5
    assert float(x.mean((0, 1)).abs().max()) < 0.3


def test_chirps_rise_and_have_any_phase() -> None:
    x = drawn(chirps)
    power = torch.fft.rfft(x[:, 0, :48]).abs().mean(0), torch.fft.rfft(x[:, 0, 48:]).abs().mean(0)
    assert int(power[0][1:].argmax()) < int(power[1][1:].argmax())
    assert float(x.mean((0, 1)).abs().max()) < 0.05


def test_pulses_are_at_every_place_of_the_ring_and_have_a_direction() -> None:
    x = drawn(pulses)
    found = covariance(x)
    turned = found.roll((11, 11), (0, 1))  # of any shift
    assert float((turned - found).norm() / found.norm()) < 0.1
    assert float((skewed(x) - skewed(x.flip(-1))).abs()) > 0.02
    assert float((x**3).mean()) > 0.1


def test_fields_have_a_mean_that_one_mirror_keeps() -> None:
    mean = drawn(fields, 4000).mean((0, 1))
    noise = 4000**-0.5
    off = {
        volumes.name_of(each): float((move_axes(mean, each) - mean).square().mean().sqrt())
        for each in volumes.elements(volumes.CUBE)[1:]
    }
    assert off.pop("mirror 1") < 3 * noise
    assert min(off.values()) > 0.2


def test_a_planted_operator_is_recovered() -> None:
    keys = [cell.key for cell in cells_of(benchmark.MODULES, "planted", quick=True)]
    assert {key["operator"] for key in keys} == set(planted.OPERATORS)
    measured = planted.measure("reversal", (5,), 0.0, 0)
    assert measured["error"] < 1e-9


@pytest.mark.parametrize("part", ["signals", "volumes"])
def test_cells_are_named_by_set_and_seed(part: str) -> None:
    keys = [cell.key for cell in cells_of(benchmark.MODULES, part, quick=False)]
    assert len(keys) == 5 * (len(CASES) if part == "signals" else 1)
    assert len({str(key) for key in keys}) == len(keys)


def test_the_page_counts_what_is_wrong() -> None:
    def cell(verdict: str) -> dict[str, object]:
        row = {"name": "reversal", "truth": "kept", "verdict": verdict, "told_apart": 0.5}
        key = {"part": "signals", "signals": "noise", "seed": 0}
        return {"key": key, "rows": [row], "controls": {"reversal": 0.53}, "count": 12_000}

    text = benchmark.page({"cells": [cell("kept"), cell("broken"), cell("undecided")]})
    assert "| noise | reversal | kept | kept 1, broken 1, undecided 1 | 0.500 | 0.530 |" in text
    assert "Wrong: 1 of 3 verdicts; undecided: 1." in text
    assert "12,000 signals" in text
    assert "How often verdicts on volumes with planted symmetries are right" in text


def test_the_page_says_where_outlines_begin() -> None:
    def cell(name: str) -> dict[str, object]:
        row = {"name": "shift", "verdict": "undecided", "told_apart": 0.55, "interval": [0.5, 0.6]}
        begins = {"tip": 0.9, "tip anywhere": 0.1, "notch": 0.8, "notch anywhere": 0.2}
        key = {"part": "outlines", "signals": name, "seed": 0}
        return {"key": key, "rows": [row], "needed": {"shift": 3000}, "circulant": 0.8, "begins": begins, "count": 400}

    text = benchmark.page({"cells": [cell("outlines of leaves"), cell("outlines of arrow heads")]})
    assert "90% of the outlines of leaves have a tip" in text
    assert (
        "80% of the outlines of arrow heads have a notch within three values of their beginning (of any place 20%)."
        in text
    )
    assert "| outlines of leaves | 400 | 0.80 | shift | undecided 1 | 0.550 (0.500 to 0.600) | 3,000 |" in text
