"""`lgn data`: which image sets there are, getting one, and checking one."""

from typing import Annotated

import tyro
from tyro.extras import SubcommandApp

import lgn.data
from lgn.data.errors import printable
from lgn.data.named import find
from lgn.data.registry import NAMED_SETS, NamedSet
from lgn.text import columns

Name = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
Directory = Annotated[str | None, tyro.conf.arg(metavar="DIR")]

app = SubcommandApp()


@app.command(name="list")
def list_sets(data_dir: Directory = None) -> None:
    """List the sets that have a name, and where each of them is.

    Args:
        data_dir: look here first, before the directory LGN_DATA and the cache.
    """
    rows = [("name", "train", "test", "image", "what", "where")]
    for named in NAMED_SETS.values():
        image = "x".join(str(size) for size in named.image_shape)
        counts = f"{named.train_count:,}", f"{named.test_count:,}"
        rows.append((named.name, *counts, image, named.what, _where(named, data_dir)))
    print("\n".join(columns(rows)))
    print("\nYour own images: a folder with a subfolder per class, a folder of images or of four IDX files,")
    print("or an .npz with 'images'.")


@app.command
def get(name: Name, data_dir: Directory = None) -> None:
    """Make sure that a set is on this machine: find it, or download it, and check it.

    Args:
        name: a name from `lgn data list`.
        data_dir: look here first, and download to here rather than to the cache.
    """
    _describe(lgn.data.load(name, data_dir, progress=True))


@app.command
def verify(name: Name, data_dir: Directory = None, image_size: int | None = None, window: int | None = None) -> None:
    """Read a set that is on this machine, check it, and print its checksum; nothing is downloaded.

    Args:
        name: a name from `lgn data list`, a folder of images or WAV files, an .npz or a .csv file.
        data_dir: look here first, before the directory LGN_DATA and the cache.
        image_size: make every image square of this size; needed for images of several sizes.
        window: cut WAV files into windows of so many frames; needed for files of several lengths.
    """
    dataset = lgn.data.load(name, data_dir, image_size=image_size, window=window, download=False)
    _describe(dataset)
    print(f"SHA-256 of images and labels: {dataset.checksum()}")


def run(args: list[str]) -> int:
    app.cli(prog="lgn data", args=args)
    return 0


def _describe(dataset: lgn.data.DataSet) -> None:
    shape = "x".join(map(str, dataset.train.samples.shape[1:]))
    print(printable(f"{dataset.name}: {dataset.source}"))
    print(f"{len(dataset.train):,} train and {len(dataset.test):,} test {dataset.kind} of {shape}")
    if dataset.class_names:
        names = ", ".join(printable(name) for name in dataset.class_names)
        print(f"{dataset.num_classes} classes: {names}")
    for note in dataset.notes:
        print(f"note: {printable(note)}")


def _where(named: NamedSet, data_dir: str | None) -> str:
    if named.name == "digits":
        return "in the package"
    source = NAMED_SETS[named.made_from] if named.made_from is not None else named
    made = f"made from {source.name}: " if source is not named else ""
    try:
        found = find(source, data_dir)
    except lgn.data.DataError as error:
        return f"{made}{error}"
    if found is None:
        return f"{made}lgn data get {named.name} ({source.download_size})"
    return f"{made}{found.directory}"
