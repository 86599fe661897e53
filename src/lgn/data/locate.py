"""Find a named data set on this machine: the user's directories first, then the cache."""

import os
from dataclasses import dataclass
from pathlib import Path

from lgn.data.errors import DataError
from lgn.data.files import plain_or_gzip
from lgn.data.registry import Layout, NamedSet

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
