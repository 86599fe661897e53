"""Arrays in an `.npz` file: samples of one kind and, if there are any, labels or a numeric target and a test part."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lgn.data.dataset import DataSet, Split
from lgn.data.errors import DataError, naming
from lgn.data.kinds import LAYOUTS, Kind
from lgn.data.pixels import Arrays, as_bytes, channels_first
from lgn.data.reading import require_bytes
from lgn.data.sources import samples
from lgn.data.splitting import read_set
from lgn.data.targets import class_numbers, target

_KINDS = tuple(LAYOUTS)
_PARTS = (*_KINDS, "labels", "target")
_NAMES = (*_PARTS, *(f"test_{name}" for name in _PARTS), "class_names")


def load_arrays(path: Path, *, seed: int = 0, test_fraction: float = 0.2) -> DataSet:
    """An `.npz` file with an array that has the name of a kind. Without a test array, `seed` splits off a test part.

    - `images`: (N, H, W), (N, C, H, W) or (N, H, W, C) with 1 or 3 channels; bytes, integers in 0..255, booleans, or
      floats in 0..1 or 0..255. They become bytes.
    - `signals` (N, T) or (N, C, T), `volumes` (N, D, H, W) or (N, C, D, H, W), `points` (N, P, k), `tables` (N, d):
      any finite numbers. Signals and volumes become float32, points and tables float64.
    - `test_images` and so on: the test part.
    - `labels` (N,), integers or text, with optional `class_names`; or `target` (N,) or (N, q), numbers. The test part
      has `test_labels` or `test_target`.
    """
    with naming(path):
        return _data_set(path, _read_npz(path), seed, test_fraction)


def load_images(path: Path) -> Tensor:
    """The array `images` of an `.npz` file.  -> uint8 (N, C, H, W)"""
    with naming(path):
        arrays = _read_npz(path)
        if _kind_of(arrays) != "images":
            raise DataError("it must have an array 'images'")
        return as_bytes({"images": channels_first(arrays["images"], "images")})[0]["images"]


def _read_npz(path: Path) -> Arrays:
    """The arrays with known names. Their sizes are checked before their values are read."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {name: f"{name}.npy" for name in _NAMES if f"{name}.npy" in archive.namelist()}
            require_bytes(sum(archive.getinfo(member).file_size for member in members.values()), "its arrays")
            return {name: _read_member(archive, member) for name, member in members.items()}
    except DataError:
        raise
    except OSError as error:
        raise DataError(f"it cannot be read: {error.strerror or error}") from error
    except Exception as error:  # a damaged or encrypted archive may raise any error
        raise DataError(f"it is not a readable .npz file: {error}") from error


def _read_member(archive: zipfile.ZipFile, member: str) -> NDArray[Any]:
    with archive.open(member) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _kind_of(arrays: Arrays) -> Kind:
    found = [kind for kind in _KINDS if kind in arrays]
    if len(found) != 1:
        given = " and ".join(found) or ", ".join(sorted(arrays)) or "none of them"
        raise DataError(f"it must have one array of {', '.join(_KINDS)}, got {given}")
    return found[0]


def _data_set(path: Path, arrays: Arrays, seed: int, test_fraction: float) -> DataSet:
    kind = _kind_of(arrays)
    names = [name for name in (kind, f"test_{kind}") if name in arrays]
    tensors, notes = _tensors({name: arrays[name] for name in names}, kind)
    targets, class_names = _targets(arrays, kind, [len(tensor) for tensor in tensors])
    parts = [Split(tensor, **part) for tensor, part in zip(tensors, targets, strict=True)]
    return read_set(path, "arrays", parts, seed, test_fraction, kind=kind, class_names=class_names, notes=notes)


def _tensors(arrays: Arrays, kind: Kind) -> tuple[list[Tensor], tuple[str, ...]]:
    """The samples of train and of test, and notes about changes."""
    if kind == "images":
        images, notes = as_bytes({name: channels_first(array, name) for name, array in arrays.items()})
        return list(images.values()), notes
    dtype = torch.float32 if kind in ("signals", "volumes") else torch.float64
    for name, array in arrays.items():
        require_bytes(dtype.itemsize * array.size, f"{len(array):,} {name}")
    # Values that float32 cannot hold become infinite, so they are checked after the change of dtype.
    return [samples(samples(a, kind, name=n).values.to(dtype), kind, name=n).values for n, a in arrays.items()], ()


def _targets(arrays: Arrays, kind: Kind, counts: list[int]) -> tuple[list[dict[str, Tensor]], tuple[str, ...]]:
    """The labels or numbers of every part, as arguments of `Split`, and the names of the classes."""
    found = [name for name in ("labels", "test_labels", "target", "test_target") if name in arrays]
    if not found:
        return [{} for _ in counts], ()
    stem = found[0].removeprefix("test_")
    names = [stem, f"test_{stem}"][: len(counts)]
    if found != names:
        raise DataError(f"it must have {' and '.join(names)}, got {' and '.join(found)}")
    given = [arrays[name] for name in names]
    if stem == "target":
        numbers = [target(array, kind, target_kind="numbers", name=stem).values for array in given]
        return [{"numbers": values} for values in numbers], ()
    classes, class_names = _classes(given, names, arrays.get("class_names"))
    return [{"labels": labels} for labels in classes], class_names


def _classes(
    labels: list[NDArray[Any]], names: list[str], class_names: NDArray[Any] | None
) -> tuple[list[Tensor], tuple[str, ...]]:
    allowed = "integers or text" if class_names is None else "integers with class_names"
    for name, array in zip(names, labels, strict=True):
        if array.dtype.kind not in ("iuU" if class_names is None else "iu") or array.ndim != 1:
            raise DataError(f"{name} must be (N,) {allowed}, got {array.dtype} {array.shape}")
        if array.dtype.kind != "U" and array.min() < 0:
            raise DataError(f"{name} must be at least 0, got {array.min()}")
    if class_names is None:
        return class_numbers(labels)
    if class_names.ndim != 1 or class_names.dtype.kind != "U" or len(class_names) < 2:
        raise DataError(f"class_names must be (classes,) text, got {class_names.dtype} {class_names.shape}")
    if len(np.unique(labels[0])) < 2:
        raise DataError(f"labels must have at least 2 classes, got only {labels[0][0]}")
    return [torch.from_numpy(array.astype(np.int64)) for array in labels], tuple(map(str, class_names))
