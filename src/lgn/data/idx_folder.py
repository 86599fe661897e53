"""A folder with a set in MNIST's own format: two files of images, two of labels, packed or not."""

from pathlib import Path

from lgn.data.dataset import DataSet
from lgn.data.errors import DataError
from lgn.data.files import packed_or_not
from lgn.data.idx import read_idx_split

_FILES = tuple(f"{part}-{what}" for part in ("train", "t10k") for what in ("images-idx3-ubyte", "labels-idx1-ubyte"))


def has_idx(folder: Path) -> bool:
    """Whether a folder has any of the four files."""
    return any(_path_of(folder, name) is not None for name in _FILES)


def load_idx_folder(folder: Path) -> DataSet:
    """The set of a folder, with classes that are called by their numbers; nothing is known of its checksums."""
    found = {name: path for name in _FILES if (path := _path_of(folder, name)) is not None}
    missing = [name for name in _FILES if name not in found]
    if missing:
        raise DataError(f"{folder} has IDX files but not all four: {', '.join(missing)} missing")
    images, labels, test_images, test_labels = found.values()
    train, test = read_idx_split(images, labels, 256), read_idx_split(test_images, test_labels, 256)
    classes = 1 + max(int(split.labels.max()) for split in (train, test) if split.labels is not None)
    if classes < 2:
        raise DataError(f"{folder} must have at least 2 classes, all labels are 0")
    names = tuple(str(number) for number in range(classes))
    return DataSet(folder.resolve().name, train, test, names, f"IDX files of {folder}")


def _path_of(folder: Path, name: str) -> Path | None:
    """A file by its name, or as some unpack it (`train-images.idx3-ubyte`)."""
    return packed_or_not(folder / name) or packed_or_not(folder / name.replace("-idx", ".idx"))
