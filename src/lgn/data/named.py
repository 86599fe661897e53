"""Named data sets: find them, download them, read them."""

import os
from dataclasses import dataclass
from pathlib import Path

from lgn.data.cifar import join, read_cifar_binary, read_cifar_python
from lgn.data.dataset import DataSet, Split
from lgn.data.download import fetch
from lgn.data.errors import DataError, naming
from lgn.data.idx import read_idx_split
from lgn.data.reading import plain_or_gzip
from lgn.data.registry import NAMED_SETS, Layout, NamedSet, SetFile

DIGITS_DIRECTORY = Path(__file__).parent / "digits"


@dataclass(frozen=True)
class Found:
    """A complete data set on disk: its layout, its folder, and the paths of its files in the order of the layout."""

    layout: Layout
    directory: Path
    train: tuple[Path, ...]
    test: tuple[Path, ...]


def cache_directory() -> Path:
    """The directory of downloads if no other is given."""
    import pooch

    return Path(pooch.os_cache("lgn"))


def search_directories(named: NamedSet, data_dir: str | os.PathLike[str] | None) -> list[Path]:
    """The directories to search, in this order: `data_dir`, `LGN_DATA`, the cache."""
    if named.name == "digits":
        return [DIGITS_DIRECTORY]
    given = [data_dir, os.environ.get("LGN_DATA") or None]
    return [Path(directory).expanduser() for directory in given if directory is not None] + [cache_directory()]


def find(named: NamedSet, data_dir: str | os.PathLike[str] | None = None) -> Found | None:
    """The first complete copy of a data set on this machine, or None."""
    return locate(named, search_directories(named, data_dir))


def locate(named: NamedSet, directories: list[Path]) -> Found | None:
    """The first complete copy of a data set in these directories, or None.

    A copy with missing files is an error if there is no complete copy.
    """
    incomplete = []
    for directory in directories:
        for layout in named.layouts:
            for folder in (*layout.folders, "."):
                path = directory / folder
                train = [plain_or_gzip(path / file.name) for file in layout.train]
                test = [plain_or_gzip(path / file.name) for file in layout.test]
                expected = (*layout.train, *layout.test)
                missing = [file.name for file, copy in zip(expected, train + test, strict=True) if copy is None]
                if not missing:
                    found_train, found_test = (tuple(copy for copy in copies if copy) for copies in (train, test))
                    return Found(layout, path, found_train, found_test)
                if len(missing) < len(expected):
                    incomplete.append(f"{named.name} in {path} is incomplete: {', '.join(missing)} missing")
    if incomplete:
        raise DataError(f"{incomplete[0]}; add the missing files or remove the others")
    return None


def load_named(
    name: str, data_dir: str | os.PathLike[str] | None, seed: int, *, download: bool, progress: bool
) -> DataSet:
    """A named data set from this machine or from a mirror. Every file must have its published checksum."""
    named = NAMED_SETS[name]
    if named.made_from is not None and named.make is not None:
        with naming(f"{name} is made from {named.made_from}, which", "cannot be loaded"):
            source = load_named(named.made_from, data_dir, seed, download=download, progress=progress)
        return named.make(source, name, seed)
    found = _obtain(named, data_dir, download, progress)
    train, test = (
        _read(found.layout.format, files, paths, len(named.class_names))
        for files, paths in ((found.layout.train, found.train), (found.layout.test, found.test))
    )
    if (len(train), len(test)) != (named.train_count, named.test_count):
        raise DataError(
            f"{name} has {named.train_count} train and {named.test_count} test images, "
            f"{found.directory} has {len(train)} and {len(test)}"
        )
    return DataSet(
        name=name,
        kind="images",
        train=train,
        test=test,
        class_names=named.class_names,
        source=f"{name} from {found.directory}",
    )


def _obtain(named: NamedSet, data_dir: str | os.PathLike[str] | None, download: bool, progress: bool) -> Found:
    """The files of a data set, after a download if there is no copy yet."""
    found = find(named, data_dir)
    searched = ", ".join(str(directory) for directory in search_directories(named, data_dir))
    if found is None and download and named.downloads:
        target = Path(data_dir).expanduser() if data_dir is not None else cache_directory()
        with naming(f"{named.name} is not in {searched}, and", "cannot be downloaded"):
            fetch(named, target, progress=progress)
        found = find(named, data_dir)
    if found is None:
        raise DataError(f"{named.name} is not in {searched}: get it with `lgn data get {named.name}`")
    return found


def _read(format: str, files: tuple[SetFile, ...], paths: tuple[Path, ...], num_classes: int) -> Split:
    if format == "idx":
        return read_idx_split(paths[0], paths[1], num_classes, (files[0].md5, files[1].md5))
    read = read_cifar_binary if format == "cifar-binary" else read_cifar_python
    return join([read(path, file.md5) for file, path in zip(files, paths, strict=True)])
