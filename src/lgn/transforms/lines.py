"""Transformations on a line: shifts, scalings, stretches, shears, small turns, brightness, contrast and gain.

Resampled versions give themselves away: resampling smooths, and leaves corners empty. So all versions are resampled,
and none is the sample itself; they come in mirrored pairs about it, and only what all of them show is left. What still
gives them away is measured on samples that have the symmetry exactly.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from torch import Tensor

from lgn.transforms.family import Family
from lgn.transforms.transformation import Space, Transformation
from lgn.transforms.warps import Linear, disc, rotate, warp

STEPS = (-2.0, -1.0, 0.0, 1.0, 2.0)
#: Logarithms of factors.
FACTORS = tuple(math.log(1.08) * step for step in STEPS)
SHEARS = tuple(0.08 * step for step in STEPS)
VALUES = tuple(0.1 * step for step in STEPS)
#: Shifts of signals are multiples of this part of their length.
PART = 64
#: How a range of factors is written.
FACTOR = "a factor of {:.2f}"


@dataclass(frozen=True)
class Line:
    """Transformations with one parameter, and the versions of samples that observers are shown."""

    #: The name of the candidate.
    candidate: str
    space: Space
    #: The name of a transformation, by its parameter, or by `exp` of it if it is logarithmic.
    template: str
    #: samples, value -> samples
    apply: Callable[..., Tensor]
    #: samples, value, largest value -> versions of one size for all values
    show: Callable[[Tensor, float, float], Tensor]
    values: tuple[float, ...]
    #: How a range of the parameter is written.
    range: str
    resampled: bool = False
    scales: bool = False
    logarithmic: bool = False
    #: Whether values are numbers of pixels, and the smallest side that leaves enough of a sample.
    whole: bool = False
    smallest: int = 1
    #: Whether it is about zero, which is elsewhere after samples were standardised.
    about_zero: bool = False
    #: The name of the family, if it is not that of the candidate.
    family: str = ""

    def transformation(self, value: float, element: int | None = None) -> Transformation:
        """The transformation with this parameter."""
        return Transformation(
            self.template.format(math.exp(value) if self.logarithmic else value),
            function=partial(self.apply, value=value),
            space=self.space,
            parameter=value,
            family=self.family or self.candidate,
            element=element,
        )

    def find(self, name: str) -> Transformation | None:
        """The transformation with this name."""
        before, after = self.template[: self.template.index("{")], self.template[self.template.index("}") + 1 :]
        if not (name.startswith(before) and name.endswith(after)):
            return None
        try:
            value = float(name[len(before) : len(name) - len(after)])
            return self.transformation(math.log(value) if self.logarithmic else value)
        except ValueError:
            return None

    def versions(self, step: int = 1, zero: float = 0.0) -> Family:
        """Versions at evenly spaced values; the transformations are the distances between them.

        step: a factor of all values.  zero: the value that zero has after samples were standardised.
        """
        values = tuple(step * value for value in self.values)
        apart = (values[-1] - values[0]) / (len(values) - 1)

        def version(samples: Tensor, number: int) -> Tensor:
            if not self.about_zero:
                return self.show(samples, values[number], values[-1])
            return zero + self.show(samples - zero, values[number], values[-1])

        return Family(
            self.family or self.candidate,
            tuple(self.transformation(apart * steps, steps) for steps in range(1, len(values))),
            version,
            version,
            tuple(range(len(values))),
            resampled=self.resampled,
            scales=self.scales,
            range=self.range,
            logarithmic=self.logarithmic,
        )


def _shifts(family: str, space: Space, direction: str, axis: int, unit: str) -> Line:
    def move(samples: Tensor, value: float) -> Tensor:
        return samples.roll(round(value), axis)

    def window(samples: Tensor, value: float, largest: float) -> Tensor:
        edge = int(largest)
        return samples.narrow(axis, edge - int(value), samples.shape[axis] - 2 * edge)

    template, width = f"shift {{:g}} {direction}", f"{{:.1f}} {unit}"
    return Line("shifts", space, template, move, window, STEPS, width, whole=True, smallest=12, family=family)


def _warps(candidate: str, template: str, linear: Callable[[float], Linear], values: Sequence[float] = FACTORS) -> Line:
    """A line of warps of images; versions are made smaller, so that the largest warp keeps all pixels inside."""
    logarithmic = values == FACTORS

    def move(images: Tensor, value: float) -> Tensor:
        return warp(images, linear(value))

    def show(images: Tensor, value: float, largest: float) -> Tensor:
        smaller = math.exp(-largest) if logarithmic else 1 / (1 + largest)
        (a, b), (c, d) = linear(value)
        return disc(warp(images, ((smaller * a, smaller * b), (smaller * c, smaller * d)), "bicubic"))

    width = FACTOR if logarithmic else "{:.2f}"
    return Line(
        candidate, "images", template, move, show, tuple(values), width, resampled=True, logarithmic=logarithmic
    )


def stretch_signal(signals: Tensor, factor: float, mode: str = "bilinear", fill: str = "zeros") -> Tensor:
    """Longer by `factor` about the middle.  (..., n) -> (..., n)"""
    if factor <= 0:
        raise ValueError(f"factor must be positive, got {factor}")
    linear = ((1.0, 0.0), (0.0, 1 / factor))  # a signal is an image with one row
    return warp(signals.unsqueeze(-2), linear, mode, fill).squeeze(-2)


def _contrast(images: Tensor, value: float, _: float = 0.0) -> Tensor:
    mean = images.mean((1, 2, 3), keepdim=True)
    return mean + (images - mean) * math.exp(value)


def _gain(signals: Tensor, value: float, _: float = 0.0) -> Tensor:
    return signals * math.exp(value)


LINES = (
    Line(
        "tilts",
        "images",
        "tilt {:g}",
        lambda x, value: rotate(x, value, "bicubic", "reflection"),
        lambda x, value, _: disc(rotate(x, value, "bicubic")),
        (-15.0, -5.0, 5.0, 15.0),
        "{:.0f} degrees",
        resampled=True,
    ),
    _shifts("shifts right", "images", "right", -1, "pixels"),
    _shifts("shifts down", "images", "down", -2, "pixels"),
    _warps("scalings", "scaling {:.2f}", lambda value: ((math.exp(-value), 0.0), (0.0, math.exp(-value)))),
    _warps("stretches", "stretch {:.2f}", lambda value: ((math.exp(value), 0.0), (0.0, math.exp(-value)))),
    _warps("shears", "shear {:.2f} columns", lambda value: ((1.0, 0.0), (-value, 1.0)), SHEARS),
    Line(
        "brightness",
        "images",
        "brightness {:+.1f}",
        lambda x, value: x + value * x.float().std(),
        lambda x, value, _: x + value,
        VALUES,
        "{:.2f} of the standard deviation",
        scales=True,
    ),
    Line("contrast", "images", "contrast {:.2f}", _contrast, _contrast, VALUES, FACTOR, scales=True, logarithmic=True),
    _shifts("shifts later", "signals", "later", -1, "values"),
    Line(
        "stretches",
        "signals",
        "stretch {:.2f}",
        lambda x, value: stretch_signal(x, math.exp(value)),
        lambda x, value, most: stretch_signal(x, math.exp(most + value), "bicubic", "reflection"),
        FACTORS,
        FACTOR,
        resampled=True,
        logarithmic=True,
    ),
    Line(
        "gain",
        "signals",
        "gain {:.2f}",
        _gain,
        _gain,
        VALUES,
        FACTOR,
        scales=True,
        logarithmic=True,
        about_zero=True,
    ),
)
