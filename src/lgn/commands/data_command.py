"""`lgn data`: list, download and verify data sets."""

from pathlib import Path
from typing import Annotated, Literal

import tyro

import lgn.data
from lgn.commands.options import DataDir, ImageSize
from lgn.data.errors import printable
from lgn.data.named import locate, search_directories
from lgn.data.registry import NAMED_SETS, NamedSet
from lgn.text import columns


def run(
    action: Annotated[Literal["list", "get", "verify"], tyro.conf.Positional],
    name: Annotated[str | None, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")] = None,
    data_dir: DataDir = None,
    image_size: ImageSize = None,
    window: int | None = None,
) -> None:
    """List, download or verify data sets.

    Args:
        action: `list` shows the named data sets and their directories. `get` finds a named data set on this machine, or
            downloads it, and verifies it. `verify` reads a data set on this machine and prints its checksum.
        name: A name from the list; for `verify` also a folder of images or WAV files, an .npz, .csv or .parquet file.
        window: For `verify`: cut WAV files into signals of this number of frames.
    """
    if action == "list":
        _list(data_dir)
        return
    if name is None:
        raise ValueError(f"name must be given for {action}, got none")
    if action == "get":
        _describe(lgn.data.load(name, data_dir, progress=True))
        return
    dataset = lgn.data.load(name, data_dir, image_size=image_size, window=window, download=False)
    _describe(dataset)
    print(f"SHA-256 of samples and labels: {dataset.checksum()}")


def _list(data_dir: Path | None) -> None:
    rows = [("name", "train", "test", "image", "content", "directory")]
    for named in NAMED_SETS.values():
        image = "x".join(str(size) for size in named.image_shape)
        counts = f"{named.train_count:,}", f"{named.test_count:,}"
        rows.append((named.name, *counts, image, named.what, _directory(named, data_dir)))
    own = "Your own data: a folder of images or WAV files with a subfolder per class, an .npz, .csv or .parquet file."
    print("\n".join([*columns(rows), "", own]))


def _describe(dataset: lgn.data.DataSet) -> None:
    shape = "x".join(map(str, dataset.train.samples.shape[1:]))
    print(printable(f"{dataset.name}: {dataset.source}"))
    print(f"{len(dataset.train):,} train and {len(dataset.test):,} test {dataset.kind} of {shape}")
    if dataset.class_names:
        print(f"{dataset.num_classes} classes: {', '.join(printable(name) for name in dataset.class_names)}")
    for note in dataset.notes:
        print(f"note: {printable(note)}")


def _directory(named: NamedSet, data_dir: Path | None) -> str:
    """The directory of a named set, or the command that downloads it."""
    source = NAMED_SETS[named.made_from] if named.made_from is not None else named
    made = f"made from {source.name}: " if source is not named else ""
    if source.name == "digits":
        return f"{made}in the package"
    try:
        found = locate(source, search_directories(source, data_dir))
    except lgn.data.DataError as error:
        return f"{made}{error}"
    command = f"lgn data get {named.name} ({source.download_size})"
    return made + (command if found is None else str(found.directory))
