"""Targets: classes or numbers, one for each sample."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lgn.data.errors import DataError
from lgn.data.kinds import Kind
from lgn.data.sources import as_tensor, frame_values, is_frame

TargetKind = Literal["classes", "numbers"]
_TEXT = "US"


@dataclass(frozen=True, eq=False)
class Target:
    """A target: classes int64 (N,) with their names, or numbers (N,) or (N, q) with the names of their columns."""

    values: Tensor
    kind: TargetKind
    names: tuple[str, ...] = ()


def target(
    y: Any, kind: Kind, *, target_kind: str | None = None, count: int | None = None, name: str = "target"
) -> Target:
    """Decide whether a target holds classes or numbers.

    Booleans and text are classes, floating-point numbers are numbers. Integers are classes for images, signals and
    volumes; for tables and points `target_kind` must say "classes" or "numbers".

    y: a tensor, a numpy array, a list, or a pandas series or data frame.
    kind: the kind of the samples.
    count: the number of samples.
    """
    if target_kind not in (None, *get_args(TargetKind)):
        raise DataError(f'target_kind must be "classes" or "numbers", got {target_kind!r}')
    values, columns = _values(y, name)
    found = _kind_of(values, kind, target_kind, name)
    result = _classes(values, name) if found == "classes" else Target(_numbers(values, name), found, columns)
    if count is not None and len(result.values) != count:
        raise DataError(f"{name} must have one value for each of the {count:,} samples, got {len(result.values):,}")
    return result


def class_numbers(labels: Sequence[NDArray[Any]], name: str = "labels") -> tuple[list[Tensor], tuple[str, ...]]:
    """Several arrays of labels, as numbers of classes that they share, and the names of the classes.

    Shapes: several (N,) of integers, booleans or text -> several (N,) of int64
    """
    if len({array.dtype.kind in _TEXT for array in labels}) > 1:
        raise DataError(f"{name} must be all integers or all text, got {' and '.join(str(a.dtype) for a in labels)}")
    values, numbers = np.unique(np.concatenate(list(labels)), return_inverse=True)
    if len(values) < 2:
        raise DataError(f"{name} must have at least 2 classes, got only {str(values[0])!r}")
    parts = np.split(numbers.astype(np.int64), np.cumsum([len(array) for array in labels])[:-1])
    return [torch.from_numpy(part) for part in parts], tuple(map(str, values))


def _values(y: Any, name: str) -> tuple[Tensor | NDArray[Any], tuple[str, ...]]:
    """Numbers as a tensor, text as an array; and the names of the columns of a data frame."""
    if isinstance(y, Tensor):
        return as_tensor(y, name), ()
    if is_frame(y) and len(y.columns) > 1:
        return frame_values(y, name)
    columns = tuple(map(str, y.columns)) if is_frame(y) else ()
    if isinstance(y, list | tuple) and any(isinstance(value, Tensor | np.ndarray) for value in y):
        return as_tensor(y, name), columns
    try:
        array = np.asarray(y)
    except ValueError:
        raise DataError(f"{name} must have one value for each sample, got a list of different lengths") from None
    if array.dtype.kind == "O" and all(isinstance(value, str) for value in array.flat):
        array = array.astype(str)
    if array.dtype.kind in _TEXT:
        return array, columns
    return as_tensor(array, name), columns


def _kind_of(values: Tensor | NDArray[Any], kind: Kind, target_kind: str | None, name: str) -> TargetKind:
    if not isinstance(values, Tensor):
        if target_kind == "numbers":
            raise DataError(f'{name} must hold numbers for target_kind "numbers", got text')
        return "classes"
    if target_kind is not None:
        return "classes" if target_kind == "classes" else "numbers"
    if values.dtype == torch.bool:
        return "classes"
    if values.is_floating_point():
        return "numbers"
    if kind in ("tables", "points"):
        raise DataError(f'target_kind must be "classes" or "numbers" for a target of integers with {kind}, got None')
    return "classes"


def _classes(values: Tensor | NDArray[Any], name: str) -> Target:
    if values.ndim == 2 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 1:
        raise DataError(f"{name} must be (N,) for classes, got {tuple(values.shape)}")
    if isinstance(values, Tensor) and values.is_floating_point():
        if not bool((values == values.round()).all()):
            raise DataError(f"{name} must be integers, booleans or text for classes, got {values.dtype}")
        values = values.long()
    array, device = (values.cpu().numpy(), values.device) if isinstance(values, Tensor) else (values, None)
    (numbers,), names = class_numbers([array], name)
    return Target(numbers.to(device), "classes", names)


def _numbers(values: Tensor | NDArray[Any], name: str) -> Tensor:
    assert isinstance(values, Tensor)  # text was refused
    if values.ndim not in (1, 2):
        raise DataError(f"{name} must be (N,) or (N, q) for numbers, got {tuple(values.shape)}")
    return values if values.is_floating_point() else values.to(torch.get_default_dtype())
