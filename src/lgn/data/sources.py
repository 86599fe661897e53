"""Samples from what a caller has in memory: tensors, arrays, lists, data frames, torch data sets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.utils.data import Dataset

from lgn.data.errors import DataError
from lgn.data.kinds import Kind, axes_of, kind_of

_NUMBERS = "buif"  # numpy's letters for booleans, unsigned and signed integers, and floating-point numbers
_SHARED = {np.dtype(name) for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "f2", "f4", "f8")}


@dataclass(frozen=True, eq=False)
class Samples:
    """Samples of one kind. The first axis counts them.

    columns: names of the columns of a data frame.
    target: second entries of a torch data set of pairs, as a list.
    """

    values: Tensor
    kind: Kind
    columns: tuple[str, ...] = ()
    target: list[Any] | None = None


def samples(data: Any, kind: str | None = None, *, name: str = "data") -> Samples:
    """Check samples and find out their kind.

    data: a tensor, a numpy array, nested lists, a pandas data frame, or a `torch.utils.data.Dataset` of samples or of
        pairs of a sample and a target. Device and dtype stay.
    kind: "images" (N, C, H, W), "signals" (N, C, T), "volumes" (N, C, D, H, W), "tables" (N, d) or "points" (N, P, k).
        It is needed for three axes only. With it, the axis of channels may be missing.
    name: name of the argument, for messages.
    """
    columns: tuple[str, ...] = ()
    target = None
    if is_frame(data):
        values, columns = frame_values(data, name)
    else:
        if isinstance(data, Dataset):
            data, target = _entries(data, name)
        values = as_tensor(data, name)
    found = kind_of(values.shape, kind, name)
    if values.ndim < axes_of(found):
        values = values.unsqueeze(1)
    return Samples(values, found, columns, target)


def as_tensor(data: Any, name: str) -> Tensor:
    """Finite numbers as a dense tensor."""
    if isinstance(data, Tensor):
        values = data.detach()
    elif isinstance(data, Sequence) and any(isinstance(entry, Tensor | np.ndarray) for entry in data):
        entries = [as_tensor(entry, name) for entry in data]
        shapes = sorted({tuple(entry.shape) for entry in entries})
        if len(shapes) > 1:
            raise DataError(f"{name} must have samples of one shape, got {shapes[0]} and {shapes[1]}")
        values = torch.stack(entries)
    else:
        values = _from_numpy(data, name)
    if values.is_nested or values.layout != torch.strided or values.is_meta or values.is_quantized:
        raise DataError(f"{name} must be a dense tensor, got {values.layout} on {values.device}")
    if values.is_complex():
        raise DataError(f"{name} must hold real numbers, got {values.dtype}")
    if values.numel() == 0:
        raise DataError(f"{name} must not be empty, got {tuple(values.shape)}")
    if values.is_floating_point() and not bool(values.isfinite().all()):
        bad = int((~values.isfinite()).sum())
        raise DataError(f"{name} must be finite, got {bad:,} NaN or infinite values in {values.numel():,}")
    return values


def is_frame(data: Any) -> bool:
    """Whether this is a data frame, of pandas or a library that follows it."""
    return hasattr(data, "columns") and hasattr(data, "to_numpy")


def frame_values(frame: Any, name: str) -> tuple[Tensor, tuple[str, ...]]:
    """The numbers of a data frame (N, d) and the names of its columns."""
    columns = tuple(map(str, frame.columns))
    if len(set(columns)) < len(columns) or not columns:
        raise DataError(f"{name} must have columns of different names, got {', '.join(columns) or 'none'}")
    arrays = [np.asarray(frame[column]) for column in frame.columns]
    for column, array in zip(columns, arrays, strict=True):
        if array.dtype.kind not in _NUMBERS:
            raise DataError(f"{name} must hold numbers, column {column!r} has {array.dtype}")
    return as_tensor(np.stack(arrays, 1), name), columns


def _from_numpy(data: Any, name: str) -> Tensor:
    try:
        array = np.asarray(data)
    except ValueError:
        raise DataError(f"{name} must have samples of one shape, got a list of different lengths") from None
    if array.dtype.kind == "c":
        raise DataError(f"{name} must hold real numbers, got {array.dtype}")
    if array.dtype.kind not in _NUMBERS:
        raise DataError(f"{name} must be a tensor, an array or a list of numbers, got {type(data).__name__}")
    if array.dtype not in _SHARED:  # torch knows neither other byte orders nor arithmetic for wide unsigned integers
        array = array.astype(np.int64 if array.dtype.kind == "u" else array.dtype.newbyteorder("="))
    if array.dtype not in _SHARED:
        array = array.astype(np.float64)
    shared = array.flags.writeable and min(array.strides, default=0) >= 0  # torch cannot share other memory
    return torch.from_numpy(array if shared else array.copy())


def _entries(data: Any, name: str) -> tuple[list[Any], list[Any] | None]:
    """Samples and, if the entries are pairs, targets of a torch data set."""
    entries = list(data) if isinstance(data, Iterable) else [data[index] for index in range(len(data))]
    if not entries:
        raise DataError(f"{name} must not be empty, got a data set without entries")
    entries = [tuple(entry) if isinstance(entry, tuple | list) else (entry,) for entry in entries]
    lengths = {len(entry) for entry in entries}
    if lengths not in ({1}, {2}):
        raise DataError(f"{name} must have entries (sample,) or (sample, target), got {max(lengths)} values")
    first = [entry[0] if isinstance(entry[0], Tensor) else np.asarray(entry[0]) for entry in entries]
    return first, [entry[1] for entry in entries] if lengths == {2} else None
