"""Labels as people have them, integers or names, as the numbers of classes."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lgn.data.errors import DataError


def as_classes(arrays: dict[str, NDArray[Any]]) -> tuple[dict[str, Tensor], tuple[str, ...]]:
    """Labels as class numbers, and the names of the classes: those given, or the distinct labels in their order."""
    given: dict[str, NDArray[Any]] = {name: arrays[name] for name in ("labels", "test_labels") if name in arrays}
    if not given:
        return {}, ()
    for name, labels in given.items():
        if labels.dtype.kind not in "iuU":
            raise DataError(f"{name} must be integers or names, got {labels.dtype}")
        if labels.dtype.kind != "U" and labels.min() < 0:
            raise DataError(f"{name} are out of range: {labels.min()} is below 0")
    if len({labels.dtype.kind == "U" for labels in given.values()}) > 1:
        raise DataError("labels and test_labels must both be integers, or both names")
    if "class_names" in arrays:
        return _with_names(given, arrays["class_names"])
    values, numbers = np.unique(np.concatenate(list(given.values())), return_inverse=True)
    if len(values) < 2:
        raise DataError(f"labels must have at least 2 classes, all are {values[0]}; leave them out for reconstruction")
    parts = np.split(numbers.astype(np.int64), [len(given["labels"])])
    classes = {name: torch.from_numpy(part) for name, part in zip(given, parts, strict=False)}
    return classes, tuple(str(value) for value in values)


def _with_names(given: dict[str, NDArray[Any]], names: NDArray[Any]) -> tuple[dict[str, Tensor], tuple[str, ...]]:
    if names.ndim != 1 or names.dtype.kind != "U" or len(names) < 2:
        raise DataError(f"class_names must be at least 2 names in one dimension, got {names.dtype} {names.shape}")
    for name, labels in given.items():
        if labels.dtype.kind == "U" or labels.max() >= len(names):
            raise DataError(f"{name} are out of range: with class_names they must be integers in 0..{len(names) - 1}")
        if len(np.unique(labels)) < 2:
            raise DataError(f"{name} must have at least 2 classes, all are {labels[0]}")
    return {name: torch.from_numpy(labels.astype(np.int64)) for name, labels in given.items()}, tuple(map(str, names))
