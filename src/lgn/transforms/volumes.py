"""The catalogue of volumes: known operators on patches of three axes, as exact (d, d) matrices; axes are 1, 2 and 3."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from lgn.actions import Patch, matrix_of, signed_permutations, written
from lgn.transforms import axes, filters


def identity(patch: Patch) -> Tensor:
    """The identity `I`, (d, d)."""
    return torch.eye(math.prod(patch), dtype=torch.float64)


def mirror(patch: Patch, axis: int = 1) -> Tensor:
    """Reverse an axis, (d, d)."""
    _require_axis(axis)
    return matrix_of(lambda x: x.flip(axis - 4), patch)


def turn(patch: Patch, axis: int = 1, degrees: int = 90) -> Tensor:
    """A turn by quarters about an axis, from the first of the other two towards the second, (d, d)."""
    _require_axis(axis)
    if degrees % 90:
        raise ValueError(f"degrees must be a multiple of 90, got {degrees}")
    first, second = (other - 4 for other in (1, 2, 3) if other != axis)
    if degrees % 180 and patch[first] != patch[second]:
        raise ValueError(f"patch must be square across axis {axis} for a quarter turn, got {written(patch)}")
    return matrix_of(lambda x: x.rot90(degrees // 90, (first, second)), patch)


def cube(patch: Patch, number: int) -> Tensor:
    """One of the 48 symmetries of the cube, as `lgn.actions.signed_permutations` numbers them from 0, (d, d)."""
    known = signed_permutations(3)
    if not 0 <= number < len(known):
        raise ValueError(f"number must be from 0 to {len(known) - 1}, got {number}")
    if not fits(patch, known[number]):
        raise ValueError(f"patch must keep its sizes under symmetry {number} of the cube, got {written(patch)}")
    return matrix_of(lambda x: axes.move_axes(x, known[number]), patch)


def shift(patch: Patch, first: int = 0, second: int = 0, third: int = 0, fill: str = "cyclic") -> Tensor:
    """Move along the three axes: "cyclic" wraps round, "zeros" fills with zeros, (d, d)."""
    return matrix_of(lambda x: axes.shift(x, (first, second, third), fill), patch)


def blur(patch: Patch, sigma: float) -> Tensor:
    """Gaussian blur, reflected at the border, (d, d)."""
    return matrix_of(lambda x: filters.blur(x, sigma, axes=3), patch)


def fits(patch: Patch, signed: Tensor) -> bool:
    """Whether a symmetry of the cube leaves a patch its sizes."""
    return (signed.abs() @ torch.tensor(patch, dtype=signed.dtype)).tolist() == list(patch)


def _require_axis(axis: int) -> None:
    if axis not in (1, 2, 3):
        raise ValueError(f"axis must be 1, 2 or 3, got {axis}")


#: By name, the simpler before the richer.
VOLUMES: dict[str, Callable[..., Tensor]] = {
    "identity": identity,
    "mirror": mirror,
    "turn": turn,
    "cube": cube,
    "shift": shift,
    "blur": blur,
}
