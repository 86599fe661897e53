"""The user's own arrays: an `.npz` with `images`, `signals` or `volumes`, and perhaps labels and a test set."""

import lzma
import math
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lgn.data.classes import as_classes
from lgn.data.dataset import KINDS, DataSet, Split
from lgn.data.errors import DataError
from lgn.data.room import MAX_BYTES, PIECE, require_bytes
from lgn.data.split import split_by_seed

# What zipfile and numpy raise for a file that is damaged, encrypted, or packed in a way they do not know.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, ValueError, NotImplementedError, RuntimeError)
_HELD = tuple(KINDS.values())
_NAMES = (*_HELD, *(f"test_{kind}" for kind in _HELD), "labels", "class_names", "test_labels")


def load_arrays(path: Path, *, seed: int = 0, test_fraction: float = 0.2) -> DataSet:
    """An `.npz` file. Without `test_images`, the test set is split off by seed with the classes in balance.

    `images`: (N, H, W), (N, C, H, W) or (N, H, W, C) with 1 or 3 channels; bytes, integers in 0..255, booleans, or
    floats in 0..1 or 0..255. `labels`: (N,) integers or names.

    `signals`, (N, T) or (N, C, T), or `volumes`, (N, D, H, W) or (N, C, D, H, W), instead: any numbers, kept as floats;
    their test set is `test_signals` or `test_volumes`.
    """
    arrays = read_npz(path)
    if not set(_HELD) & set(arrays):
        raise DataError(f"{path} must hold an array 'images', it holds {', '.join(sorted(arrays)) or 'none'}")
    try:
        return _dataset(path, arrays, seed, test_fraction)
    except DataError as error:
        raise DataError(f"{path} is refused: {error}") from error


def load_images(path: Path) -> Tensor:
    """The `images` of an `.npz` alone.  -> uint8 (N, C, H, W)"""
    arrays = read_npz(path)
    if "images" not in arrays:
        raise DataError(f"{path} must hold an array 'images', it holds {', '.join(sorted(arrays)) or 'none'}")
    try:
        return _as_bytes({"images": _channels_first(arrays["images"], "images")})[0]["images"]
    except DataError as error:
        raise DataError(f"{path} is refused: {error}") from error


def read_npz(path: Path) -> dict[str, NDArray[Any]]:
    """The arrays of an `.npz` that we know the names of. Their headers are judged before their bytes are read."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {name: f"{name}.npy" for name in _NAMES if f"{name}.npy" in archive.namelist()}
            claimed = sum(_claimed(archive, member) for member in members.values())
            if claimed > MAX_BYTES:
                raise DataError(f"its arrays claim {claimed:,} bytes, allowed are {MAX_BYTES:,}")
            return {name: _read_member(archive, member) for name, member in members.items()}
    except DataError as error:
        raise DataError(f"{path} is refused: {error}") from error
    except _UNREADABLE as error:
        raise DataError(f"{path} is not a readable .npz file: {error}") from error
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}") from error


def _claimed(archive: zipfile.ZipFile, member: str) -> int:
    """The bytes of an array, as its header has them."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        if version not in ((1, 0), (2, 0)):
            raise DataError(f"{member} has the unknown format version {version[0]}.{version[1]}")
        read_header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = read_header(file)
    if dtype.hasobject:
        raise DataError(f"{member} holds Python objects, which only a pickle can carry; store plain numbers")
    return math.prod(shape) * dtype.itemsize


def _read_member(archive: zipfile.ZipFile, member: str) -> NDArray[Any]:
    with archive.open(member) as file:
        return np.lib.format.read_array(file, allow_pickle=False)


def _dataset(path: Path, arrays: dict[str, NDArray[Any]], seed: int, test_fraction: float) -> DataSet:
    held = [kind for kind in _HELD if kind in arrays]
    if len(held) > 1:
        raise DataError(f"it must hold {', '.join(_HELD[:-1])} or {_HELD[-1]}, it holds {' and '.join(held)}")
    (kind,) = held
    tested = f"test_{kind}"
    if "test_labels" in arrays and tested not in arrays:
        raise DataError(f"it holds test_labels but no {tested}")
    if tested in arrays and ("test_labels" in arrays) != ("labels" in arrays):
        raise DataError("train and test must both have labels, or neither")
    given: dict[str, NDArray[Any]] = {name: arrays[name] for name in (kind, tested) if name in arrays}
    if kind == "images":
        images, notes = _as_bytes({name: _channels_first(array, name) for name, array in given.items()})
    else:
        images, notes = {name: _as_floats(array, name, kind) for name, array in given.items()}, ()
    for labels_name, images_name in (("labels", kind), ("test_labels", tested)):
        if labels_name in arrays and arrays[labels_name].shape != (len(images[images_name]),):
            raise DataError(
                f"{labels_name} must be ({len(images[images_name])},), one for each of the {images_name}, "
                f"got {arrays[labels_name].shape}"
            )
    labels, class_names = as_classes(arrays)
    if tested in images:
        train = Split(images[kind], labels.get("labels"))
        test = Split(images[tested], labels.get("test_labels"))
        return DataSet(path.stem, train, test, class_names, f"arrays of {path}", notes)
    train, test = split_by_seed(images[kind], labels.get("labels"), test_fraction, seed)
    source = f"arrays of {path}, split with seed {seed}"
    return DataSet(path.stem, train, test, class_names, source, notes)


def _channels_first(array: NDArray[Any], name: str) -> NDArray[Any]:
    if array.ndim == 3:
        array = array[:, None]
    elif array.ndim == 4 and array.shape[1] not in (1, 3) and array.shape[3] in (1, 3):
        array = array.transpose(0, 3, 1, 2)
    if array.ndim != 4 or array.shape[1] not in (1, 3) or array.size == 0:
        raise DataError(
            f"{name} must be (N, H, W), (N, C, H, W) or (N, H, W, C) with 1 or 3 channels, got {array.shape}"
        )
    return array


def _as_floats(array: NDArray[Any], name: str, kind: str) -> Tensor:
    """Signals (N, C, T) or volumes (N, C, D, H, W) in float32; what has no channels gets one."""
    short, full = ("(N, T)", "(N, C, T)") if kind == "signals" else ("(N, D, H, W)", "(N, C, D, H, W)")
    dimensions = full.count(",") + 1
    if array.ndim == dimensions - 1:
        array = array[:, None]
    if array.ndim != dimensions or array.size == 0:
        raise DataError(f"{name} must be {short} or {full}, got {array.shape}")
    if array.dtype.kind not in "buif":
        raise DataError(f"{name} must hold numbers, got {array.dtype}")
    require_bytes(4 * array.size, f"{len(array):,} {kind}")
    floats = torch.from_numpy(np.ascontiguousarray(array, np.float32))
    if not torch.isfinite(floats).all():
        raise DataError(f"{name} holds values that are not finite")
    return floats


def _as_bytes(arrays: dict[str, NDArray[Any]]) -> tuple[dict[str, Tensor], tuple[str, ...]]:
    """Numbers as bytes; train and test on one scale."""
    for name, array in arrays.items():
        if array.dtype.kind not in "buif":
            raise DataError(f"{name} must hold numbers, got {array.dtype}")
        if not np.isfinite([array.min(), array.max()]).all():  # a value that is none makes both so
            raise DataError(f"{name} holds values that are not finite")
        if array.min() < 0 or array.max() > 255:
            raise DataError(f"{name} must lie in 0..1 or 0..255, got {array.min()}..{array.max()}")
    is_float = any(array.dtype.kind == "f" for array in arrays.values())
    is_bool = all(array.dtype.kind == "b" for array in arrays.values())
    scaled = is_bool or (is_float and max(array.max() for array in arrays.values()) <= 1)
    images = {name: torch.from_numpy(_rounded(array, 255.0 if scaled else 1.0)) for name, array in arrays.items()}
    notes = ("values in 0..1 were scaled to 0..255",) if scaled else ()
    if is_float and not scaled:
        notes = ("values were rounded to whole numbers in 0..255",)
    return images, notes


def _rounded(array: NDArray[Any], factor: float) -> NDArray[np.uint8]:
    """Numbers times a factor as bytes, a few images at a time; bytes stay."""
    if array.dtype == np.uint8:
        return np.ascontiguousarray(array)
    rounded = np.empty(array.shape, np.uint8)
    at_once = max(PIECE // array[0].size, 1)
    for first in range(0, len(array), at_once):
        part = slice(first, first + at_once)
        rounded[part] = np.rint(array[part] * factor)
    return rounded
