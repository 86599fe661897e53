"""`lgn data`: list, download and verify data sets."""

from typing import Annotated

import tyro
from tyro.extras import SubcommandApp

import lgn.data
from lgn.data.errors import printable
from lgn.data.named import locate, search_directories
from lgn.data.registry import NAMED_SETS, NamedSet
from lgn.text import columns

Name = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
Directory = Annotated[str | None, tyro.conf.arg(metavar="DIR")]

app = SubcommandApp()


@app.command(name="list")
def list_sets(data_dir: Directory = None) -> None:
    """List the named data sets and their directories.

    Args:
        data_dir: First directory to look in, before LGN_DATA and the cache.
    """
    rows = [("name", "train", "test", "image", "content", "directory")]
    for named in NAMED_SETS.values():
        image = "x".join(str(size) for size in named.image_shape)
        counts = f"{named.train_count:,}", f"{named.test_count:,}"
        rows.append((named.name, *counts, image, named.what, _directory(named, data_dir)))
    print("\n".join(columns(rows)))
    print(
        "\nYour own data: a folder of images or WAV files with a subfolder per class, an .npz, .csv or .parquet file."
    )


@app.command
def get(name: Name, data_dir: Directory = None) -> None:
    """Find a named data set on this machine, or download it, and verify it.

    Args:
        name: A name from `lgn data list`.
        data_dir: First directory to look in, and the target of a download.
    """
    _describe(lgn.data.load(name, data_dir, progress=True))


@app.command
def verify(name: Name, data_dir: Directory = None, image_size: int | None = None, window: int | None = None) -> None:
    """Read a data set on this machine and print its checksum. Nothing is downloaded.

    Args:
        name: A name from `lgn data list`, a folder of images or WAV files, an .npz, .csv or .parquet file.
        data_dir: First directory to look in, before LGN_DATA and the cache.
        image_size: Resize images to this side, for images of several sizes.
        window: Cut WAV files into signals of this number of frames.
    """
    dataset = lgn.data.load(name, data_dir, image_size=image_size, window=window, download=False)
    _describe(dataset)
    print(f"SHA-256 of samples and labels: {dataset.checksum()}")


def run(args: list[str]) -> int:
    app.cli(prog="lgn data", args=args)
    return 0


def _describe(dataset: lgn.data.DataSet) -> None:
    shape = "x".join(map(str, dataset.train.samples.shape[1:]))
    print(printable(f"{dataset.name}: {dataset.source}"))
    print(f"{len(dataset.train):,} train and {len(dataset.test):,} test {dataset.kind} of {shape}")
    if dataset.class_names:
        print(f"{dataset.num_classes} classes: {', '.join(printable(name) for name in dataset.class_names)}")
    for note in dataset.notes:
        print(f"note: {printable(note)}")


def _directory(named: NamedSet, data_dir: str | None) -> str:
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
