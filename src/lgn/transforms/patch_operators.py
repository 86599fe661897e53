"""Operators: known linear maps of patches with parameters, such as rotations and blurs (sec. 5.2).

A function takes patches with one leading dimension, (N, n, m) for images, and returns the same shape. Many operators
are no elements of a group: nearest rotation by 60 degrees on 6x6 has rank 24 of 36.
"""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from lgn.actions import Patch, signed_permutations, size_text
from lgn.transforms import filters, warps
from lgn.transforms.cube import move_axes, quarter
from lgn.transforms.lines import stretch_signal


def reflection(x: Tensor, axis: str = "columns") -> Tensor:
    """Reverse the order of the rows (upside down) or of the columns (left to right)."""
    if axis not in ("rows", "columns"):
        raise ValueError(f"axis must be 'rows' or 'columns', got {axis!r}")
    return x.flip(-2 if axis == "rows" else -1)


def transposition(x: Tensor) -> Tensor:
    """`X -> X^T`, for square patches."""
    if x.shape[-2] != x.shape[-1]:
        raise ValueError(f"patch must be square for a transposition, got {size_text(tuple(x.shape[-2:]))}")
    return x.mT


def shift(x: Tensor, rows: int = 0, columns: int = 0, fill: str = "cyclic") -> Tensor:
    """Move down by `rows` and right by `columns`: "cyclic" wraps round, "zeros" fills with zeros."""
    return _shifted(x, (rows, columns), fill)


def blur(x: Tensor, sigma: float) -> Tensor:
    """Gaussian blur along all axes, reflected at the border."""
    return filters.blur(x, sigma, axes=x.ndim - 1)


def pooling_then_rotation(x: Tensor, radius: int, degrees: float, mode: str = "nearest", fill: str = "zeros") -> Tensor:
    """The composition of sec. 5.2.1: pool first, then rotate."""
    return warps.rotate(filters.pool(x, radius), degrees, mode, fill)


def shift_signal(x: Tensor, places: int = 1, fill: str = "cyclic") -> Tensor:
    """Later by `places`: "cyclic" wraps round, "zeros" fills with zeros."""
    return _shifted(x, (places,), fill)


def differentiate_signal(x: Tensor, kind: str = "centred") -> Tensor:
    """A derivative filter, "centred" `(x[i+1] - x[i-1]) / 2` or "forward" `x[i+1] - x[i]`."""
    return filters.differentiate(x, "columns", kind)


def modulation(x: Tensor, cycles: float, degrees: float = 0.0) -> Tensor:
    """`x[t] cos(2 pi cycles t / n + degrees)`."""
    time = torch.arange(x.shape[-1], dtype=x.dtype, device=x.device)
    return x * torch.cos(2 * math.pi * cycles * time / x.shape[-1] + math.radians(degrees))


def mirror(x: Tensor, axis: int = 1) -> Tensor:
    """Reverse an axis."""
    if axis not in (1, 2, 3):
        raise ValueError(f"axis must be 1, 2 or 3, got {axis}")
    return x.flip(axis - 4)


def turn_volume(x: Tensor, axis: int = 1, degrees: int = 90) -> Tensor:
    """A turn by quarters about an axis, from the first of the other two axes towards the second."""
    if axis not in (1, 2, 3):
        raise ValueError(f"axis must be 1, 2 or 3, got {axis}")
    if degrees % 90:
        raise ValueError(f"degrees must be a multiple of 90, got {degrees}")
    return _moved(x, torch.linalg.matrix_power(quarter(axis), degrees // 90 % 4), f"a turn about axis {axis}")


def cube(x: Tensor, number: int) -> Tensor:
    """One of the 48 symmetries of the cube, as `lgn.actions.signed_permutations` numbers them from 0."""
    known = signed_permutations(3)
    if not 0 <= number < len(known):
        raise ValueError(f"number must be from 0 to {len(known) - 1}, got {number}")
    return _moved(x, known[number], f"symmetry {number} of the cube")


def shift_volume(x: Tensor, first: int = 0, second: int = 0, third: int = 0, fill: str = "cyclic") -> Tensor:
    """Move along the three axes: "cyclic" wraps round, "zeros" fills with zeros."""
    return _shifted(x, (first, second, third), fill)


def fits(patch: Patch, signed: Tensor) -> bool:
    """Whether a symmetry of the cube keeps the sizes of a patch."""
    return (signed.abs() @ torch.tensor(patch, dtype=signed.dtype)).tolist() == list(patch)


def _moved(x: Tensor, signed: Tensor, name: str) -> Tensor:
    if not fits(patch := tuple(x.shape[-3:]), signed):
        raise ValueError(f"patch must keep its sizes under {name}, got {size_text(patch)}")
    return move_axes(x, signed)


def _shifted(x: Tensor, places: Sequence[int], fill: str) -> Tensor:
    """Moved by a number of pixels along each of the last axes: "cyclic" wraps round, "zeros" fills with zeros."""
    if fill not in ("cyclic", "zeros"):
        raise ValueError(f"fill must be 'cyclic' or 'zeros', got {fill!r}")
    axes = tuple(range(-len(places), 0))
    moved = x.roll(tuple(places), axes)
    if fill == "zeros":
        for axis, far in zip(axes, places, strict=True):
            source = torch.arange(x.shape[axis], device=x.device) - far
            inside = ((source >= 0) & (source < x.shape[axis])).to(x.dtype)
            moved = moved * inside.view(-1, *(1,) * (-axis - 1))
    return moved


Operator = Callable[..., Tensor]
#: The operators of images, from simple to rich: if two operators describe a matrix equally well, the first one wins.
OPERATORS: dict[str, Operator] = {
    "identity": lambda x: x,
    "reflection": reflection,
    "transposition": transposition,
    "shift": shift,
    "rotation": warps.rotate,
    "pooling": filters.pool,
    "blur": blur,
    "derivative": filters.differentiate,
    "scaling": warps.scale,
    "shear": warps.shear,
    "pooling then rotation": pooling_then_rotation,
}
SIGNALS: dict[str, Operator] = {
    "identity": lambda x: x,
    "sign": lambda x: -x,
    "reversal": lambda x: x.flip(-1),
    "shift": shift_signal,
    "smoothing": blur,
    "derivative": differentiate_signal,
    "stretch": stretch_signal,
    "modulation": modulation,
}
VOLUMES: dict[str, Operator] = {
    "identity": lambda x: x,
    "mirror": mirror,
    "turn": turn_volume,
    "cube": cube,
    "shift": shift_volume,
    "blur": blur,
}
#: The names of all operators, images first.
NAMES = tuple(dict.fromkeys([*OPERATORS, *SIGNALS, *VOLUMES]))


def catalogue(patch: Patch) -> dict[str, Operator]:
    """The operators on patches with this number of axes, by name."""
    if len(patch) not in (1, 2, 3) or min(patch) < 1:
        raise ValueError(f"patch must be one, two or three sizes of at least 1, got {patch}")
    return (SIGNALS, OPERATORS, VOLUMES)[len(patch) - 1]
