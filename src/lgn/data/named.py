"""Named data sets: find them, download them, read them."""

import os
from dataclasses import dataclass
from pathlib import Path

from lgn.data.cifar import read_cifar_binary, read_cifar_python
from lgn.data.dataset import DataSet, Split, join
from lgn.data.download import fetch
from lgn.data.errors import DataError, naming
from lgn.data.idx import read_idx_split
from lgn.data.reading import plain_or_gzip
from lgn.data.registry import NAMED_SETS, Layout, NamedSet, SetFile
from lgn.data.rotated import MAKERS

DIGITS_DIRECTORY = Path(__file__).parent / "digits"


@dataclass(frozen=True)
class Found:
    """A complete data set on disk: its layout, its folder, and the paths of its files in the order of the layout."""

    layout: Layout
    directory: Path
    train: tuple[Path, ...]
    test: tuple[Path, ...]


def search_directories(named: NamedSet, data_dir: str | os.PathLike[str] | None) -> list[Path]:
    """The directories to search, in this order: `data_dir`, `LGN_DATA`, the cache."""
    if named.name == "digits":
        return [DIGITS_DIRECTORY]
    import pooch

    given = [data_dir, os.environ.get("LGN_DATA") or None, pooch.os_cache("lgn")]
    return [Path(directory).expanduser() for directory in given if directory is not None]


def locate(named: NamedSet, directories: list[Path]) -> Found | None:
    """The first complete copy of a data set in these directories, or None.

    A copy with missing files is an error if there is no complete copy.
    """
    incomplete = []
    for directory in directories:
        for layout in named.layouts:
            for folder in (*layout.folders, "."):
                path, files = directory / folder, (*layout.train, *layout.test)
                copies = {file.name: copy for file in files if (copy := plain_or_gzip(path / file.name)) is not None}
                if len(copies) == len(files):
                    train, test = (tuple(copies[file.name] for file in part) for part in (layout.train, layout.test))
                    return Found(layout, path, train, test)
                if copies:
                    missing = ", ".join(file.name for file in files if file.name not in copies)
                    incomplete.append(f"{named.name} in {path} is incomplete: {missing} missing")
    if incomplete:
        raise DataError(f"{incomplete[0]}; add the missing files or remove the others")
    return None


def load_named(
    name: str, data_dir: str | os.PathLike[str] | None, seed: int, *, download: bool, progress: bool
) -> DataSet:
    """A named data set from this machine or from a mirror. Every file must have its published checksum."""
    named = NAMED_SETS[name]
    if named.made_from is not None:
        with naming(f"{name} is made from {named.made_from}, which", "cannot be loaded"):
            made_from = load_named(named.made_from, data_dir, seed, download=download, progress=progress)
        return MAKERS[name](made_from, name, seed)
    directories = search_directories(named, data_dir)
    searched = f"{name} is not in {', '.join(map(str, directories))}"
    found = locate(named, directories)
    if found is None and download and named.downloads:
        with naming(f"{searched}, and", "cannot be downloaded"):
            fetch(named, directories[-1] if data_dir is None else directories[0], progress=progress)
        found = locate(named, directories)
    if found is None:
        raise DataError(f"{searched}: get it with `lgn data get {name}`")
    train = _read(found.layout.format, found.layout.train, found.train)
    test = _read(found.layout.format, found.layout.test, found.test)
    source = f"{name} from {found.directory}"
    return DataSet(name=name, kind="images", train=train, test=test, class_names=named.class_names, source=source)


def _read(format: str, files: tuple[SetFile, ...], paths: tuple[Path, ...]) -> Split:
    if format == "idx":
        return read_idx_split(paths[0], paths[1], (files[0].md5, files[1].md5))
    read = read_cifar_binary if format == "cifar-binary" else read_cifar_python
    return join([read(path, file.md5) for file, path in zip(files, paths, strict=True)])
