"""Load a data set by name or path."""

import difflib
import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from lgn.data import table_files
from lgn.data.arrays import load_arrays
from lgn.data.dataset import DataSet
from lgn.data.errors import DataError, printable
from lgn.data.folder import load_folder
from lgn.data.idx import idx_files, load_idx_folder
from lgn.data.named import load_named
from lgn.data.pixels import resize_set
from lgn.data.registry import NAMED_SETS
from lgn.data.wav import has_wavs, load_wavs
from lgn.warning import LgnWarning


def load(
    source: str | os.PathLike[str] = "digits",
    data_dir: str | os.PathLike[str] | None = None,
    *,
    kind: str | None = None,
    target: str | Sequence[str] = (),
    target_kind: str | None = None,
    image_size: int | None = None,
    window: int | None = None,
    seed: int = 0,
    test_fraction: float = 0.2,
    download: bool = True,
    progress: bool = False,
) -> DataSet:
    """Load a data set by its name, or from a folder or file.

    source:
        - A name of `NAMED_SETS`, such as `digits` (part of the package) or `mnist`. It is looked for in `data_dir`, in
          the directory `LGN_DATA` and in the cache, then downloaded into `data_dir` or the cache.
        - A folder of images: subfolders are classes, `train` and `test` are the split.
        - A folder of WAV files, 16 bit PCM, laid out like a folder of images.
        - A folder with the four IDX files of a data set like MNIST, plain or gzip.
        - An `.npz` file with `images`, `signals`, `volumes`, `points` or `tables` (see `lgn.data.arrays`).
        - A `.csv` or `.parquet` file: a table, or with `kind="signals"` one signal in each row.

    kind: the kind that a table is taken for; for all other sources, the kind that is expected.
    target: names of the columns of a table that hold the target.
    target_kind: "classes" or "numbers", for a target of integers.
    image_size: make all images square with this side.
    window: cut WAV files into signals of this many frames.
    seed: decides the split (`test_fraction` of every class is for test), and the random turns of the rotated sets.
    download: whether named data sets may be downloaded; `progress` shows a bar on standard error.
    """
    if image_size is not None and image_size < 1:
        raise DataError(f"image_size must be at least 1, got {image_size}")
    path = Path(source).expanduser()
    named = isinstance(source, str) and source in NAMED_SETS
    is_table = not named and path.is_file() and path.suffix.lower() in table_files.SUFFIXES
    is_wav = not named and path.is_dir() and has_wavs(path)
    if window is not None and not is_wav:
        raise DataError(f"window must be given for folders of WAV files only, got {window} for {source}")
    if (target or target_kind) and not is_table:
        raise DataError(f"target and target_kind must be given for .csv and .parquet files only, got {source}")
    split: dict[str, Any] = {"seed": seed, "test_fraction": test_fraction}
    if named:
        found = load_named(str(source), data_dir, seed, download=download, progress=progress)
    elif is_table:
        found = table_files.load_table(path, kind=kind, target=target, target_kind=target_kind, **split)
    elif is_wav:
        found = load_wavs(path, window=window, **split)
    elif path.is_file():
        found = load_arrays(path, **split)
    elif path.is_dir():
        found = load_idx_folder(path) if idx_files(path) else load_folder(path, image_size=image_size, **split)
    else:
        raise _unknown(str(source))
    if kind not in (None, found.kind):
        raise DataError(f"kind must be {found.kind!r} for {source}, got {kind!r}")
    _warn_about_unseen_classes(found)
    return resize_set(found, image_size)


def _unknown(name: str) -> DataError:
    near = difflib.get_close_matches(name, NAMED_SETS, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    names = ", ".join(NAMED_SETS)
    return DataError(f"source must be a folder, an .npz, .csv or .parquet file, or one of {names}, got {name!r}{hint}")


def _warn_about_unseen_classes(found: DataSet) -> None:
    if found.train.labels is None or found.test.labels is None:
        return
    unseen = sorted(set(found.test.labels.tolist()) - set(found.train.labels.tolist()))
    if unseen:
        names = ", ".join(printable(found.class_names[label]) for label in unseen[:5]) + (", ..." if unseen[5:] else "")
        count = int(torch.isin(found.test.labels, torch.tensor(unseen)).sum())
        message = f"{count} test {found.kind} of {found.name} have classes that are not in train ({names})"
        warnings.warn(message, LgnWarning, stacklevel=3)
