"""The study of signals and volumes: the symmetries of its sets, and its measurements."""

import pytest
import torch
from torch import Tensor

from lgn.transforms import families_of
from studies.signals import cases


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
    x = drawn(cases.process)
    found = covariance(x)
    for lag in (0, 1, 5):
        along = found.diagonal(lag)
        assert float((along - along.mean()).abs().max()) < 0.1 * float(found.diagonal().mean())
    assert abs(float(skewed(x) - skewed(x.flip(-1)))) < 0.1
    assert float(found[0, -1].abs()) < 0.1 < float(found[0, 1])


def test_jumps_have_an_arrow_of_time_that_their_covariance_does_not_show() -> None:
    """What comes after a jump is larger than what came before: fourth moments say so, second ones do not."""
    x = drawn(cases.jumps)
    found = covariance(x)
    assert float((found - found.flip(0, 1)).norm() / found.norm()) < 0.1
    before, after = ((item[..., 3:] ** 3 * item[..., :-3]).mean() for item in (x, x.flip(-1)))
    assert float(after / before) > 1.5
    assert float(x.mean((0, 1)).abs().max()) < 0.3


def test_chirps_rise_and_have_any_phase() -> None:
    x = drawn(cases.chirps)
    power = torch.fft.rfft(x[:, 0, :48]).abs().mean(0), torch.fft.rfft(x[:, 0, 48:]).abs().mean(0)
    assert int(power[0][1:].argmax()) < int(power[1][1:].argmax())
    assert float(x.mean((0, 1)).abs().max()) < 0.05


def test_pulses_are_at_every_place_of_the_ring_and_have_a_direction() -> None:
    x = drawn(cases.pulses)
    found = covariance(x)
    turned = found.roll((11, 11), (0, 1))  # of any shift
    assert float((turned - found).norm() / found.norm()) < 0.1
    assert float((skewed(x) - skewed(x.flip(-1))).abs()) > 0.02
    assert float((x**3).mean()) > 0.1


def test_fields_have_a_mean_that_one_mirror_keeps() -> None:
    mean = drawn(cases.fields, 4000).mean((0, 1))
    noise = 4000**-0.5
    (family,) = families_of(("turns", "mirrors"), "volumes", mean[None, None])
    off = {one.name: float((one(mean[None, None]) - mean).square().mean().sqrt()) for one in family.transformations}
    assert off.pop("mirror 1") < 3 * noise
    assert min(off.values()) > 0.2


def test_a_planted_operator_is_recovered() -> None:
    assert cases.measure_planted("reversal", [5], 0.0, 0)["error"] < 1e-9


def test_tips_are_counted_near_the_beginning_and_near_any_place() -> None:
    bump = torch.exp(-((torch.arange(96) - 48.0) ** 2) / 400)
    found = cases.extremes(torch.stack([bump.roll(48), bump])[:, None])
    assert found["tip"] == 0.5
    assert found["tip anywhere"] == pytest.approx(7 / 96)
    moved = cases.begun_anywhere(bump.expand(50, 1, 96), 0)
    assert len({int(row.argmax()) for row in moved[:, 0]}) > 20
