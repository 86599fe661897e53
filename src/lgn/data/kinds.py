"""The five kinds of data, and which kind a tensor holds."""

from collections.abc import Sequence
from typing import Literal, get_args

from lgn.data.errors import DataError

Kind = Literal["images", "signals", "volumes", "tables", "points"]

#: The axes of a tensor of each kind: samples N, channels C, columns d, points P with k coordinates.
LAYOUTS: dict[Kind, str] = {
    "images": "(N, C, H, W)",
    "signals": "(N, C, T)",
    "volumes": "(N, C, D, H, W)",
    "tables": "(N, d)",
    "points": "(N, P, k)",
}
#: The kinds with channels on a grid, by their number of axes.
GRID_KINDS: dict[int, Kind] = {3: "signals", 4: "images", 5: "volumes"}


def axes_of(kind: Kind) -> int:
    """Number of axes of a tensor of this kind, the axis of samples included."""
    return LAYOUTS[kind].count(",") + 1


def kind_of(shape: Sequence[int], kind: str | None = None, name: str = "data") -> Kind:
    """The kind of a tensor of this shape: the given kind if it fits, otherwise the kind with this number of axes.

    A given kind allows the axis of channels to be missing: (N, T) for signals, (N, H, W) for images.
    """
    shape = tuple(shape)
    if kind is not None:
        if kind not in get_args(Kind):
            raise DataError(f"kind must be one of {', '.join(get_args(Kind))}, got {kind!r}")
        known: Kind = next(one for one in get_args(Kind) if one == kind)
        missing = known in GRID_KINDS.values() and len(shape) == axes_of(known) - 1
        if len(shape) != axes_of(known) and not missing:
            raise DataError(f"{name} must be {LAYOUTS[known]} for kind {kind!r}, got {shape}")
        return known
    if len(shape) == 3:
        raise DataError(f'kind must be "signals" or "points" for 3 axes, got {shape}; for grey images pass x[:, None]')
    if not 2 <= len(shape) <= 5:
        raise DataError(f"{name} must have 2 to 5 axes, got {shape}")
    found = GRID_KINDS.get(len(shape), "tables")
    if found != "tables" and shape[-1] in (1, 3, 4) and shape[1] not in (1, 3, 4):
        last = len(shape) - 1
        order = ", ".join(map(str, (0, last, *range(1, last))))
        raise DataError(f"{name} must be {LAYOUTS[found]}, got {shape}; pass x.permute({order})")
    return found
