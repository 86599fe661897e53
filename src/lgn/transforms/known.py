"""The catalogue: known operators as exact (d, d) matrices, for any patch (sec. 5.2).

Each is made by giving the transformation the basis filters, so it is right by construction. Many are not
elements of a group: nearest rotation by 60 degrees of 6x6 has rank 24 of 36. `lgn.transforms.describe` says
so.
"""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from lgn.actions import Patch, matrix_of
from lgn.transforms import axes, filters, warps
from lgn.transforms.signals import SIGNALS
from lgn.transforms.volumes import VOLUMES


def identity(patch: Patch) -> Tensor:
    """The identity `I`, (d, d)."""
    return torch.eye(math.prod(patch), dtype=torch.float64)


def rotation(patch: Patch, degrees: float, mode: str = "nearest", fill: str = "zeros") -> Tensor:
    """Rotation counter-clockwise about the centre of the patch, (d, d)."""
    return matrix_of(lambda x: warps.rotate(x, degrees, mode, fill), patch)


def reflection(patch: Patch, axis: str = "columns") -> Tensor:
    """Reverse the order of the rows (upside down) or of the columns (left to right), (d, d)."""
    if axis not in ("rows", "columns"):
        raise ValueError(f"axis must be 'rows' or 'columns', got {axis!r}")
    return matrix_of(lambda x: x.flip(-2 if axis == "rows" else -1), patch)


def transposition(patch: Patch) -> Tensor:
    """`X -> X^T`, (d, d); only for square patches."""
    if patch[0] != patch[1]:
        raise ValueError(f"patch must be square for a transposition, got {patch[0]}x{patch[1]}")
    return matrix_of(lambda x: x.transpose(-2, -1), patch)


def shift(patch: Patch, rows: int = 0, columns: int = 0, fill: str = "cyclic") -> Tensor:
    """Move the patch down by `rows` and right by `columns`: "cyclic" wraps round, "zeros" fills with zeros, (d, d)."""
    return matrix_of(lambda x: axes.shift(x, (rows, columns), fill), patch)


def pooling(patch: Patch, radius: int) -> Tensor:
    """Average pooling over a window of radius x radius pixels, reflected at the border, (d, d)."""
    return matrix_of(lambda x: filters.pool(x, radius), patch)


def pooling_then_rotation(
    patch: Patch, radius: int, degrees: float, mode: str = "nearest", fill: str = "zeros"
) -> Tensor:
    """The composition of sec. 5.2.1: pool first, then rotate, (d, d)."""
    return rotation(patch, degrees, mode, fill) @ pooling(patch, radius)


def scaling(patch: Patch, factor: float, mode: str = "bilinear", fill: str = "zeros") -> Tensor:
    """Enlargement by `factor` about the centre, (d, d)."""
    return matrix_of(lambda x: warps.scale(x, factor, mode, fill), patch)


def shear(patch: Patch, amount: float, axis: str = "rows", mode: str = "bilinear", fill: str = "zeros") -> Tensor:
    """Shear: pixels slide along `axis` in proportion to their place on the other, (d, d)."""
    return matrix_of(lambda x: warps.shear(x, amount, axis, mode, fill), patch)


def blur(patch: Patch, sigma: float) -> Tensor:
    """Gaussian blur, reflected at the border, (d, d)."""
    return matrix_of(lambda x: filters.blur(x, sigma), patch)


def derivative(patch: Patch, axis: str = "rows", kind: str = "centred") -> Tensor:
    """A derivative filter, "centred" `(x[i+1] - x[i-1]) / 2` or "forward" `x[i+1] - x[i]`, (d, d)."""
    return matrix_of(lambda x: filters.differentiate(x, axis, kind), patch)


#: Of images, by name, the simpler before the richer: where two describe a matrix equally well, the earlier name wins.
OPERATORS: dict[str, Callable[..., Tensor]] = {
    "identity": identity,
    "reflection": reflection,
    "transposition": transposition,
    "shift": shift,
    "rotation": rotation,
    "pooling": pooling,
    "blur": blur,
    "derivative": derivative,
    "scaling": scaling,
    "shear": shear,
    "pooling then rotation": pooling_then_rotation,
}


#: Of signals, images and volumes, by the number of axes.
CATALOGUES: dict[int, dict[str, Callable[..., Tensor]]] = {1: SIGNALS, 2: OPERATORS, 3: VOLUMES}
#: The names of all, images first.
NAMES = tuple(dict.fromkeys([*OPERATORS, *SIGNALS, *VOLUMES]))


def catalogue(patch: Patch) -> dict[str, Callable[..., Tensor]]:
    """The operators on patches with so many axes, by name."""
    if len(patch) not in CATALOGUES or min(patch) < 1:
        raise ValueError(f"patch must be one, two or three sizes of at least 1, got {patch}")
    return CATALOGUES[len(patch)]


def operator(name: str, patch: Patch, **keywords: Any) -> Tensor:
    """A known operator by its name: `operator("rotation", (6, 6), degrees=60)` is a float64 matrix (36, 36).

    A patch of one size is a signal's and one of three a volume's: `operator("stretch", (9,), factor=2)`.
    """
    known = catalogue(patch)
    if name not in known:
        raise ValueError(f"name must be one of {tuple(known)}, got {name!r}")
    for parameter, value in keywords.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{parameter} must be finite for operator {name!r}, got {value}")
    try:
        matrix = known[name](patch, **keywords)
    except OverflowError:
        matrix = torch.tensor(math.nan)
    if not torch.isfinite(matrix).all():
        given = ", ".join(f"{parameter} {value}" for parameter, value in keywords.items())
        raise ValueError(f"operator {name!r} must have parameters of moderate size, got {given}")
    return matrix
