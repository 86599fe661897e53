"""Families of signals (N, C, T): reversal, sign, shifts on a ring and along a line, stretches, gain, channels."""

import math
from itertools import permutations

from torch import Tensor

from lgn.discovery.images.exact import negative
from lgn.discovery.images.family import Family, of_group, of_line
from lgn.discovery.images.resampled import SCALE, STEPS, shifts
from lgn.transforms.warps import warp

#: What candidates of signals may be called.
NAMES = ("reversal", "sign", "shift", "shifts", "stretches", "gain", "channels")
#: Those that are asked where nothing else is said.
USUAL = ("reversal", "sign", "shift")
#: Into so many parts a ring is divided.
PARTS = 8
#: Plain shifts are by multiples of this part of a signal.
FRACTION = 64


def families(names: list[str], signals: Tensor, origin: float) -> list[Family]:
    """Those that fit.  origin: where zero is, in the units of the signals"""
    length, found = signals.shape[-1], list[Family]()
    if "reversal" in names:
        found.append(of_group("reversal", "C2", {1: "reversal"}, lambda x, e: x.flip(-1) if e else x))
    if "sign" in names:
        found.append(negative(origin, origin, "sign"))
    if "shift" in names:
        if length < PARTS:
            raise ValueError(f"candidates 'shift' needs signals of at least {PARTS} values, got {length}")
        found.append(of_group("shift", f"C{PARTS}", {1: "shift"}, _round_the_ring, scales=False))
    if "shifts" in names:
        if length < 12:
            raise ValueError(f"candidates 'shifts' needs signals of at least 12 values, got {length}")
        found.append(shifts("later", max(length // FRACTION, 1)))
    if "stretches" in names:
        found.append(_stretches())
    if "gain" in names:
        found.append(_gain(origin))
    if "channels" in names:
        found.append(_channels(signals.shape[1]))
    return found


def _round_the_ring(signals: Tensor, part: int) -> Tensor:
    """Later by so many eighths of the ring, to the nearest value: what keeps all shifts keeps these."""
    return signals.roll(round(part * signals.shape[-1] / PARTS), -1)


def _stretches() -> Family:
    """Longer and shorter about the middle; all versions are enlarged, so that none shows what lies outside."""

    def show(signals: Tensor, value: float) -> Tensor:
        along = ((1.0, 0.0), (0.0, math.exp(-2 * SCALE - value)))  # a signal is an image of one row
        return warp(signals.unsqueeze(-2), along, "bicubic", "reflection").squeeze(-2)

    values = tuple(SCALE * step for step in STEPS)
    return of_line("stretches", values, lambda value: f"stretch {math.exp(value):.2f}", show, resampled=True)


def _gain(origin: float) -> Family:
    """Louder, by a factor."""
    return of_line(
        "gain",
        tuple(0.1 * step for step in STEPS),
        lambda value: f"gain {math.exp(value):.2f}",
        lambda signals, value: origin + (signals - origin) * math.exp(value),
        scales=True,
    )


def _channels(channels: int) -> Family:
    """Permutations of two to four channels; its candidates are the swaps of two."""
    if not 2 <= channels <= 4:
        raise ValueError(f"candidates 'channels' needs signals of 2 to 4 channels, got {channels}")
    orders = list(permutations(range(channels)))
    moved = {element: [i for i in range(channels) if order[i] != i] for element, order in enumerate(orders)}
    names = {e: f"swap {pair[0] + 1} and {pair[1] + 1}" for e, pair in moved.items() if len(pair) == 2}
    backwards = [sorted(range(channels), key=order.__getitem__) for order in orders]  # what arrives at each channel
    return of_group("channels", f"S{channels}", names, lambda x, e: x[:, backwards[e]])
