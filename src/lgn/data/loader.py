"""One word or one path in, an `DataSet` out."""

import difflib
import os
import warnings
from pathlib import Path
from typing import Any

import torch

from lgn.data.arrays import load_arrays
from lgn.data.dataset import DataSet
from lgn.data.errors import DataError, printable
from lgn.data.folder import load_folder
from lgn.data.idx_folder import has_idx, load_idx_folder
from lgn.data.named import load_named
from lgn.data.registry import NAMED_SETS
from lgn.data.resize import resize_set
from lgn.data.table import load_table
from lgn.data.wav import has_wavs, load_wavs
from lgn.warning import LgnWarning


def load(
    name_or_path: str | os.PathLike[str] = "digits",
    data_dir: str | os.PathLike[str] | None = None,
    *,
    image_size: int | None = None,
    window: int | None = None,
    seed: int = 0,
    test_fraction: float = 0.2,
    download: bool = True,
) -> DataSet:
    """Load a named set, a folder of images, of IDX files or of WAV files, an `.npz` of arrays, or a CSV of signals.

    - A name: `digits` (inside the package), `mnist`, `fashion-mnist`, `cifar10`, `rotated-mnist`,
      `rotated-mnist-90`, `rotated-mnist-45`, `flipped-cifar10`. Looked for in `data_dir`, in the directory `LGN_DATA`,
      in the cache; then downloaded, into `data_dir` or the cache, unless `download` is false.
    - A folder with a subfolder per class, with `train` and `test` of such, or of images alone (no labels).
    - A folder with the four files of a set in MNIST's own format, packed or not.
    - An `.npz` with `images`, `signals` or `volumes`, and perhaps `labels`.
    - A folder of WAV files, 16 bit PCM, laid out like one of images; `window` is the length that they are cut to.
    - A `.csv` with one signal a row.

    `image_size` makes every image square of that size. `seed` decides what is random: the split of one's own images
    (`test_fraction` of each class) and the angles of the rotated sets.
    """
    if image_size is not None and image_size < 1:
        raise DataError(f"image_size must be at least 1, got {image_size}")
    split: dict[str, Any] = {"seed": seed, "test_fraction": test_fraction}
    named, path = isinstance(name_or_path, str) and name_or_path in NAMED_SETS, Path(name_or_path).expanduser()
    wavs = not named and path.is_dir() and has_wavs(path)
    if window is not None and not wavs:
        raise DataError(f"window must be given with a folder of WAV files only, got {window} for {name_or_path}")
    if named:
        found = load_named(str(name_or_path), data_dir, seed, download)
    elif wavs:
        found = load_wavs(path, window=window, **split)
    elif path.is_file():
        found = (load_table if path.suffix.lower() == ".csv" else load_arrays)(path, **split)
    elif path.is_dir():
        found = load_idx_folder(path) if has_idx(path) else load_folder(path, image_size=image_size, **split)
    else:
        raise _unknown(str(name_or_path))
    _warn_of_unseen(found)
    return resize_set(found, image_size)


def _unknown(name: str) -> DataError:
    near = difflib.get_close_matches(name, NAMED_SETS, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return DataError(
        f"{name!r} is neither a folder, nor an .npz or .csv file, nor one of {', '.join(NAMED_SETS)}{hint}"
    )


def _warn_of_unseen(found: DataSet) -> None:
    """Say which classes are tested and never shown."""
    if found.train.labels is None or found.test.labels is None:
        return
    unseen = sorted(set(found.test.labels.tolist()) - set(found.train.labels.tolist()))
    if unseen:
        names = ", ".join(printable(found.class_names[label]) for label in unseen[:5]) + (", ..." if unseen[5:] else "")
        images = int(torch.isin(found.test.labels, torch.tensor(unseen)).sum())
        warnings.warn(
            f"{images} test images of {found.name} have labels that no train image has ({names}): "
            f"they cannot be classified rightly",
            LgnWarning,
            stacklevel=3,
        )
