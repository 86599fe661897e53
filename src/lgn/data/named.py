"""Named sets, from finding them to having them in memory."""

import os
from pathlib import Path

from lgn.data.cifar import join, read_cifar_binary, read_cifar_python
from lgn.data.dataset import DataSet, Split
from lgn.data.download import download
from lgn.data.errors import DataError
from lgn.data.idx import read_idx_split
from lgn.data.locate import Found, cache_directory, find, search_directories
from lgn.data.registry import NAMED_SETS, NamedSet, SetFile
from lgn.data.rotated import flip_set, rotate_set, turn_set


def load_named(name: str, data_dir: str | os.PathLike[str] | None, seed: int, may_download: bool) -> DataSet:
    """A named set: found on this machine, or downloaded; every file checked against its published checksum."""
    named = NAMED_SETS[name]
    if named.made_from is not None:
        return _load_made(named, named.made_from, data_dir, seed, may_download)
    found = obtain(named, data_dir, may_download)
    splits = [
        _read(found.layout.format, files, paths, len(named.class_names))
        for files, paths in ((found.layout.train, found.train), (found.layout.test, found.test))
    ]
    dataset = DataSet(name, splits[0], splits[1], named.class_names, f"{name} from {found.directory}")
    if (len(splits[0]), len(splits[1])) != (named.train_count, named.test_count):
        raise DataError(
            f"{found.directory} has {len(splits[0])} train and {len(splits[1])} test images, "
            f"{name} has {named.train_count} and {named.test_count}"
        )
    return dataset


def obtain(named: NamedSet, data_dir: str | os.PathLike[str] | None, may_download: bool = True) -> Found:
    """Where the files of a set are, after a download if there is no copy yet."""
    found = find(named, data_dir)
    places = ", ".join(str(directory) for directory in search_directories(named, data_dir))
    if found is None and may_download and named.downloads:
        try:
            download(named, Path(data_dir).expanduser() if data_dir is not None else cache_directory())
        except DataError as error:
            raise DataError(f"{named.name} is not in {places}, and {error}") from error
        found = find(named, data_dir)
    if found is None:
        raise DataError(f"{named.name} is not in {places}: get it with `lgn data get {named.name}`")
    return found


def _read(format: str, files: tuple[SetFile, ...], paths: tuple[Path, ...], num_classes: int) -> Split:
    if format == "idx":
        return read_idx_split(paths[0], paths[1], num_classes, (files[0].md5, files[1].md5))
    read = read_cifar_binary if format == "cifar-binary" else read_cifar_python
    return join([read(path, file.md5) for file, path in zip(files, paths, strict=True)])


def _load_made(
    named: NamedSet, made_from: str, data_dir: str | os.PathLike[str] | None, seed: int, may_download: bool
) -> DataSet:
    try:
        source = load_named(made_from, data_dir, seed, may_download)
    except DataError as error:
        raise DataError(f"{named.name} is made from {made_from}, and {made_from} cannot be had: {error}") from error
    if named.name == "flipped-cifar10":
        return flip_set(source, named.name, seed)
    if named.name == "digits-90":
        return turn_set(source, named.name, seed)
    if named.name == "rotated-mnist-45":
        return rotate_set(source, named.name, seed, within=45.0)
    return rotate_set(source, named.name, seed, quarter_turns=named.name == "rotated-mnist-90")
