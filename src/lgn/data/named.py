"""Named data sets: find them, download them, read them."""

import os
from pathlib import Path

from lgn.data.cifar import join, read_cifar_binary, read_cifar_python
from lgn.data.dataset import DataSet, Split
from lgn.data.download import fetch
from lgn.data.errors import DataError
from lgn.data.idx import read_idx_split
from lgn.data.locate import Found, cache_directory, find, search_directories
from lgn.data.registry import NAMED_SETS, NamedSet, SetFile


def load_named(
    name: str, data_dir: str | os.PathLike[str] | None, seed: int, *, download: bool, progress: bool
) -> DataSet:
    """A named data set from this machine or from a mirror. Every file must have its published checksum."""
    named = NAMED_SETS[name]
    if named.made_from is not None and named.make is not None:
        try:
            source = load_named(named.made_from, data_dir, seed, download=download, progress=progress)
        except DataError as error:
            raise DataError(f"{name} is made from {named.made_from}, which cannot be loaded: {error}") from error
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
        try:
            fetch(named, target, progress=progress)
        except DataError as error:
            raise DataError(f"{named.name} is not in {searched}, and {error}") from error
        found = find(named, data_dir)
    if found is None:
        raise DataError(f"{named.name} is not in {searched}: get it with `lgn data get {named.name}`")
    return found


def _read(format: str, files: tuple[SetFile, ...], paths: tuple[Path, ...], num_classes: int) -> Split:
    if format == "idx":
        return read_idx_split(paths[0], paths[1], num_classes, (files[0].md5, files[1].md5))
    read = read_cifar_binary if format == "cifar-binary" else read_cifar_python
    return join([read(path, file.md5) for file, path in zip(files, paths, strict=True)])
