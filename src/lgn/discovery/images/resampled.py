"""Families that need values between pixels: turns by angles, scalings, stretches, shears. And shifts, by cropping.

Resampling gives itself away: it smooths, and leaves corners empty. So all versions are resampled, none is the image
itself; they come in mirrored pairs about it, are cut to one disc, averaged over squares after the transformation, and
shown with noise. What is left is measured, on a twin of the images that has the symmetry exactly.
"""

import math

import torch
from torch import Tensor

from lgn.discovery.images.family import Family, of_group, of_line
from lgn.transforms.warps import rotate, warp

ANGLES = 8
STEPS = (-2.0, -1.0, 0.0, 1.0, 2.0)
SCALE, SHEAR = math.log(1.08), 0.08


def angles() -> Family:
    """Turns by eighths: bicubic, each version half a step off the grid."""
    step = 360 / ANGLES

    def act(images: Tensor, element: int) -> Tensor:
        # Reflected at the border: images have mean 0, and zeros in the corners of dark ones would be grey wedges.
        return rotate(images, step * element, "bicubic", "reflection")

    def show(images: Tensor, element: int) -> Tensor:
        return _disc(rotate(images, step * (element + 0.5), "bicubic"))

    names = {element: f"turn {step * element:g}" for element in range(1, ANGLES)}
    degrees = {element: step * element for element in names}
    return of_group(
        "angles",
        f"C{ANGLES}",
        names,
        act,
        show=show,
        parameters=degrees,
        resampled=True,
        scales=False,
    )


def tilts() -> Family:
    """Turns by a few degrees, for the range that images are turned within: bicubic, no version is the image itself."""

    def show(images: Tensor, value: float) -> Tensor:
        return _disc(rotate(images, value, "bicubic"))

    return of_line("tilts", (-15.0, -5.0, 5.0, 15.0), lambda value: f"tilt {value:g}", show, resampled=True)


def scalings() -> Family:
    """Larger and smaller about the centre; all versions are enlarged, so that none shows what lies outside."""

    def show(images: Tensor, value: float) -> Tensor:
        shrink = math.exp(-SCALE * (value + 2))
        return _disc(warp(images, ((shrink, 0.0), (0.0, shrink)), "bicubic", "zeros"))

    values = tuple(SCALE * step for step in STEPS)
    return of_line(
        "scalings",
        values,
        lambda value: f"scaling {math.exp(value):.2f}",
        lambda x, v: show(x, v / SCALE),
        resampled=True,
    )


def stretches() -> Family:
    """Wider and lower, narrower and higher."""

    def show(images: Tensor, value: float) -> Tensor:
        zoom = math.exp(-2 * SCALE)
        return _disc(warp(images, ((zoom * math.exp(value), 0.0), (0.0, zoom * math.exp(-value))), "bicubic", "zeros"))

    values = tuple(SCALE * step for step in STEPS)
    return of_line("stretches", values, lambda value: f"stretch {math.exp(value):.2f}", show, resampled=True)


def shears() -> Family:
    """Columns slide along the rows: italics."""

    def show(images: Tensor, value: float) -> Tensor:
        zoom = 1 / (1 + 2 * SHEAR)
        return _disc(warp(images, ((zoom, 0.0), (-zoom * value, zoom)), "bicubic", "zeros"))

    values = tuple(SHEAR * step for step in STEPS)
    return of_line("shears", values, lambda value: f"shear {value:.2f}", show, resampled=True)


def shifts(axis: str, step: int = 1) -> Family:
    """Along the rows ("right") or the columns ("down"), by whole pixels: windows of one size, cut out side by side.

    A signal is shifted along its only axis ("later"), by multiples of `step`.
    """
    values = tuple(step * value for value in STEPS)

    def show(images: Tensor, value: float) -> Tensor:
        dimension = -2 if axis == "down" else -1
        edge = int(max(values))
        return images.narrow(dimension, edge - int(value), images.shape[dimension] - 2 * edge)

    return of_line(f"shifts {axis}", values, lambda value: f"shift {value:g} {axis}", show)


def brightness() -> Family:
    """All pixels brighter by a share of the spread of the image set."""
    return of_line(
        "brightness",
        tuple(0.1 * step for step in STEPS),
        lambda value: f"brightness +{value:.1f}",
        lambda images, value: images + value,
        scales=True,
    )


def contrast() -> Family:
    """All pixels further from the mean of their image."""

    def show(images: Tensor, value: float) -> Tensor:
        mean = images.mean((1, 2, 3), keepdim=True)
        return mean + (images - mean) * math.exp(value)

    return of_line(
        "contrast",
        tuple(0.1 * step for step in STEPS),
        lambda value: f"contrast {math.exp(value):.2f}",
        show,
        scales=True,
    )


def _disc(images: Tensor) -> Tensor:
    """Nothing outside the largest disc that all turns leave inside."""
    height, width = images.shape[-2:]
    row = torch.arange(height)[:, None] - (height - 1) / 2
    column = torch.arange(width)[None, :] - (width - 1) / 2
    return images * (row**2 + column**2 <= (min(height, width) / 2 - 1) ** 2)
