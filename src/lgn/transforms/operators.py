"""The operators: known linear maps of patches as exact (d, d) matrices, with parameters (sec. 5.2).

Every matrix is made by applying the map to the basis filters. Many are not elements of a group: nearest rotation by
60 degrees on 6x6 has rank 24 of 36. `lgn.transforms.describe` says so.
"""

import inspect
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from lgn.actions import Patch, matrix_of, signed_permutations, size_text
from lgn.transforms import axes, filters, warps
from lgn.transforms.catalogue import find
from lgn.transforms.lines import stretch_signal


def identity(x: Tensor) -> Tensor:
    """The patch as it is."""
    return x


def sign(x: Tensor) -> Tensor:
    """`x -> -x`."""
    return -x


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
    return axes.shift(x, (rows, columns), fill)


def blur(x: Tensor, sigma: float) -> Tensor:
    """Gaussian blur, reflected at the border."""
    return filters.blur(x, sigma)


def pooling_then_rotation(x: Tensor, radius: int, degrees: float, mode: str = "nearest", fill: str = "zeros") -> Tensor:
    """The composition of sec. 5.2.1: pool first, then rotate."""
    return warps.rotate(filters.pool(x, radius), degrees, mode, fill)


def reversal(x: Tensor) -> Tensor:
    """Backwards in time."""
    return x.flip(-1)


def shift_signal(x: Tensor, places: int = 1, fill: str = "cyclic") -> Tensor:
    """Later by `places`: "cyclic" wraps round, "zeros" fills with zeros."""
    return axes.shift(x, (places,), fill)


def smoothing(x: Tensor, sigma: float) -> Tensor:
    """A Gaussian filter, reflected at the ends."""
    return filters.blur(x, sigma, axes=1)


def differentiate_signal(x: Tensor, kind: str = "centred") -> Tensor:
    """A derivative filter, "centred" `(x[i+1] - x[i-1]) / 2` or "forward" `x[i+1] - x[i]`."""
    return filters.differentiate(x, "columns", kind)


def modulation(x: Tensor, cycles: float, degrees: float = 0.0) -> Tensor:
    """`x[t] cos(2 pi cycles t / n + degrees)`."""
    time = torch.arange(x.shape[-1], dtype=x.dtype, device=x.device)
    return x * torch.cos(2 * math.pi * cycles * time / x.shape[-1] + math.radians(degrees))


def mirror(x: Tensor, axis: int = 1) -> Tensor:
    """Reverse an axis."""
    _require_axis(axis)
    return x.flip(axis - 4)


def turn_volume(x: Tensor, axis: int = 1, degrees: int = 90) -> Tensor:
    """A turn by quarters about an axis, from the first of the other two axes towards the second."""
    _require_axis(axis)
    if degrees % 90:
        raise ValueError(f"degrees must be a multiple of 90, got {degrees}")
    first, second = (other - 4 for other in (1, 2, 3) if other != axis)
    if degrees % 180 and x.shape[first] != x.shape[second]:
        patch = size_text(tuple(x.shape[-3:]))
        raise ValueError(f"patch must be square across axis {axis} for a quarter turn, got {patch}")
    return x.rot90(degrees // 90, (first, second))


def cube(x: Tensor, number: int) -> Tensor:
    """One of the 48 symmetries of the cube, as `lgn.actions.signed_permutations` numbers them from 0."""
    known, patch = signed_permutations(3), tuple(x.shape[-3:])
    if not 0 <= number < len(known):
        raise ValueError(f"number must be from 0 to {len(known) - 1}, got {number}")
    if not fits(patch, known[number]):
        raise ValueError(f"patch must keep its sizes under symmetry {number} of the cube, got {size_text(patch)}")
    return axes.move_axes(x, known[number])


def shift_volume(x: Tensor, first: int = 0, second: int = 0, third: int = 0, fill: str = "cyclic") -> Tensor:
    """Move along the three axes: "cyclic" wraps round, "zeros" fills with zeros."""
    return axes.shift(x, (first, second, third), fill)


def blur_volume(x: Tensor, sigma: float) -> Tensor:
    """Gaussian blur, reflected at the border."""
    return filters.blur(x, sigma, axes=3)


def fits(patch: Patch, signed: Tensor) -> bool:
    """Whether a symmetry of the cube keeps the sizes of a patch."""
    return (signed.abs() @ torch.tensor(patch, dtype=signed.dtype)).tolist() == list(patch)


def _require_axis(axis: int) -> None:
    if axis not in (1, 2, 3):
        raise ValueError(f"axis must be 1, 2 or 3, got {axis}")


#: The operators of images, from simple to rich: if two operators describe a matrix equally well, the first one wins.
OPERATORS: dict[str, Callable[..., Tensor]] = {
    "identity": identity,
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
SIGNALS: dict[str, Callable[..., Tensor]] = {
    "identity": identity,
    "sign": sign,
    "reversal": reversal,
    "shift": shift_signal,
    "smoothing": smoothing,
    "derivative": differentiate_signal,
    "stretch": stretch_signal,
    "modulation": modulation,
}
VOLUMES: dict[str, Callable[..., Tensor]] = {
    "identity": identity,
    "mirror": mirror,
    "turn": turn_volume,
    "cube": cube,
    "shift": shift_volume,
    "blur": blur_volume,
}
#: The operators and the kind of data, by the number of axes.
_BY_AXES = {1: (SIGNALS, "signals"), 2: (OPERATORS, "images"), 3: (VOLUMES, "volumes")}
#: The names of all operators, images first.
NAMES = tuple(dict.fromkeys([*OPERATORS, *SIGNALS, *VOLUMES]))


def catalogue(patch: Patch) -> dict[str, Callable[..., Tensor]]:
    """The operators on patches with this number of axes, by name."""
    if len(patch) not in _BY_AXES or min(patch) < 1:
        raise ValueError(f"patch must be one, two or three sizes of at least 1, got {patch}")
    return _BY_AXES[len(patch)][0]


def operator(name: str, patch: Patch, **keywords: Any) -> Tensor:
    """A known operator by its name: `operator("rotation", (6, 6), degrees=60)` is a float64 matrix (36, 36).

    Transformations of the catalogue are accepted too: `operator("turn 90", (6, 6))`. A patch of one size belongs to a
    signal and a patch of three sizes to a volume: `operator("stretch", (9,), factor=2)`.
    """
    known = catalogue(patch)
    if name not in known:
        return _from_catalogue(name, patch)
    for parameter, value in keywords.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{parameter} must be finite for operator {name!r}, got {value}")
    try:
        matrix = matrix_of(lambda x: known[name](x, **keywords), patch)
    except OverflowError:
        matrix = torch.tensor(math.nan)
    if not torch.isfinite(matrix).all():
        given = ", ".join(f"{parameter} {value}" for parameter, value in keywords.items())
        raise ValueError(f"operator {name!r} must have parameters of moderate size, got {given}")
    return matrix


def _from_catalogue(name: str, patch: Patch) -> Tensor:
    """The matrix of a transformation of the catalogue; for `total - x` that is -I."""
    known, kind = _BY_AXES[len(patch)]
    found = find(name, kind)
    if found is None or found.family == "channels":
        raise ValueError(f"name must be one of {', '.join(known)}, or a transformation of patches, got {name!r}")
    moved = found(torch.zeros(1, *patch, dtype=torch.float64))
    if moved.shape[1:] != patch:
        raise ValueError(f"patch must keep its sizes under {name!r}, got {size_text(patch)}")
    return matrix_of(lambda x: found(x) - moved, patch)


def parse_operator(text: str, patch: Patch) -> Tensor:
    """The matrix (d, d) of an operator as people write it: its name, then its parameters in their order.

    Parts joined by "then" are applied one after the other: "pooling 4 then rotation 60".
    """
    matrix: Tensor | None = None
    for part in text.split(" then "):
        step = _parse_part(part.strip(), patch)
        matrix = step if matrix is None else step @ matrix
    assert matrix is not None
    return matrix


def _parse_part(text: str, patch: Patch) -> Tensor:
    name, *values = text.split() or [""]
    known, kind = catalogue(patch), _BY_AXES[len(patch)][1]
    if name not in known:
        return _from_catalogue(text, patch)
    try:
        given = _parameters(text, known[name], values)
    except ValueError:
        if find(text, kind) is None:
            raise
        return _from_catalogue(text, patch)
    return operator(name, patch, **given)


def _parameters(text: str, function: Callable[..., Tensor], values: list[str]) -> dict[str, Any]:
    """The parameters of an operator from words, in their order."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    if len(values) > len(parameters):
        raise ValueError(f"operator takes at most {len(parameters)} parameters, got {text!r}")
    given = {one.name: _value(word, one, text) for one, word in zip(parameters, values, strict=False)}
    missing = [one.name for one in parameters if one.default is one.empty and one.name not in given]
    if missing:
        raise ValueError(f"{missing[0]} must be given for the operator, got {text!r}")
    return given


def _value(word: str, parameter: inspect.Parameter, text: str) -> int | float | str:
    """A word as a value of the type of its parameter: text, a whole number or a number."""
    kind = parameter.annotation
    try:
        return kind(word)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise ValueError(f"{parameter.name} must be {wanted} in operator {text!r}, got {word!r}") from None
