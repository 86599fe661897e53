"""One word or one path in, an `ImageSet` out."""

import difflib
import os
from pathlib import Path

from lgn.data.arrays import load_arrays
from lgn.data.errors import DataError
from lgn.data.folder import load_folder
from lgn.data.images import ImageSet
from lgn.data.named import load_named
from lgn.data.registry import NAMED_SETS
from lgn.data.resize import resize_set


def load(
    name_or_path: str | os.PathLike[str] = "digits",
    data_dir: str | os.PathLike[str] | None = None,
    *,
    image_size: int | None = None,
    seed: int = 0,
    test_fraction: float = 0.2,
    download: bool = True,
) -> ImageSet:
    """Load a named set, a folder of images, or an `.npz` of arrays.

    - A name: `digits` (inside the package), `mnist`, `fashion-mnist`, `cifar10`, `rotated-mnist`,
      `rotated-mnist-90`. Looked for in `data_dir`, in the directory `LGN_DATA`, in the cache; then downloaded, into
      `data_dir` or the cache, unless `download` is false.
    - A folder with a subfolder per class, with `train` and `test` of such, or of images alone (no labels).
    - An `.npz` with `images` and perhaps `labels`.

    `image_size` makes every image square of that size. `seed` decides what is random: the split of one's own images
    (`test_fraction` of each class) and the angles of the rotated sets.
    """
    if image_size is not None and image_size < 1:
        raise DataError(f"image_size must be at least 1, got {image_size}")
    if isinstance(name_or_path, str) and name_or_path in NAMED_SETS:
        return resize_set(load_named(name_or_path, data_dir, seed, download), image_size)
    path = Path(name_or_path).expanduser()
    if path.is_dir():
        return load_folder(path, image_size=image_size, seed=seed, test_fraction=test_fraction)
    if path.is_file():
        return resize_set(load_arrays(path, seed=seed, test_fraction=test_fraction), image_size)
    near = difflib.get_close_matches(str(name_or_path), NAMED_SETS, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise DataError(
        f"{str(name_or_path)!r} is neither a folder, nor an .npz file, nor one of {', '.join(NAMED_SETS)}{hint}"
    )
