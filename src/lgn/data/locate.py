"""Where a named set lies on this machine: the user's directories first, then the cache."""

import os
from dataclasses import dataclass
from pathlib import Path

from lgn.data.errors import DataError
from lgn.data.files import packed_or_not
from lgn.data.registry import Layout, NamedSet

DIGITS_DIRECTORY = Path(__file__).parent / "digits"


@dataclass(frozen=True)
class Found:
    """A complete set on disk: its layout, and the path of each of its files in the layout's order."""

    layout: Layout
    directory: Path
    train: tuple[Path, ...]
    test: tuple[Path, ...]


def cache_directory() -> Path:
    """Where downloads go unless a directory is named."""
    import pooch

    return Path(pooch.os_cache("lgn"))


def search_directories(named: NamedSet, data_dir: str | os.PathLike[str] | None) -> list[Path]:
    """The directories that are looked into, in their order: `data_dir`, `LGN_DATA`, the cache."""
    if named.name == "digits":
        return [DIGITS_DIRECTORY]
    given = [data_dir, os.environ.get("LGN_DATA") or None]
    return [Path(directory).expanduser() for directory in given if directory is not None] + [cache_directory()]


def find(named: NamedSet, data_dir: str | os.PathLike[str] | None = None) -> Found | None:
    """The first complete copy of a set on this machine, or None."""
    return locate(named, search_directories(named, data_dir))


def locate(named: NamedSet, directories: list[Path]) -> Found | None:
    """The first complete copy of a set, or None. A copy with files missing is an error if there is no other."""
    incomplete = []
    for directory in directories:
        for layout in named.layouts:
            for folder in (*layout.folders, "."):
                place = directory / folder
                train = [packed_or_not(place / file.name) for file in layout.train]
                test = [packed_or_not(place / file.name) for file in layout.test]
                missing = [
                    file.name
                    for file, path in zip((*layout.train, *layout.test), train + test, strict=True)
                    if path is None
                ]
                if not missing:
                    found_train, found_test = (tuple(path for path in paths if path) for paths in (train, test))
                    return Found(layout, place, found_train, found_test)
                if len(missing) < len(train) + len(test):
                    incomplete.append(f"{named.name} in {place} is incomplete: {', '.join(missing)} missing")
    if incomplete:
        raise DataError(f"{incomplete[0]}; add what is missing, or remove the rest")
    return None
