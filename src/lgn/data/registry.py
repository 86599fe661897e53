"""The named data sets: their contents, mirrors and checksums, from `named_sets.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from lgn.files import decode


@dataclass(frozen=True)
class SetFile:
    """One file of a data set. `md5` is the checksum of its decompressed content."""

    name: str
    md5: str


@dataclass(frozen=True)
class Layout:
    """The files of a data set on disk, in a folder with one of these names."""

    format: str  # "idx", "cifar-binary" or "cifar-python"
    train: tuple[SetFile, ...]
    test: tuple[SetFile, ...]
    folders: tuple[str, ...]


@dataclass(frozen=True)
class NamedSet:
    """A published data set. A download makes its first layout, in the first folder of that layout."""

    name: str
    what: str
    train_count: int
    test_count: int
    image_shape: tuple[int, int, int]
    class_names: tuple[str, ...]
    layouts: tuple[Layout, ...] = ()
    downloads: tuple[SetFile, ...] = ()  # on every mirror, with the MD5 of the compressed file
    download_size: str = ""
    mirrors: tuple[str, ...] = ()
    made_from: str | None = None  # name of the data set from which `lgn.data.rotated.MAKERS` computes this one


def _named_sets() -> dict[str, NamedSet]:
    sets = tomllib.loads(Path(__file__).with_name("named_sets.toml").read_text(encoding="utf-8"))
    optional = ("layouts", "downloads", "download_size", "mirrors", "made_from")
    found = {}
    for name, facts in sets.items():
        source = sets[facts.get("made_from", name)]
        shared = {key: source[key] for key in ("image_shape", "class_names")}
        found[name] = decode(NamedSet, {"name": name, **shared, **facts}, name, optional)
    return found


NAMED_SETS: dict[str, NamedSet] = _named_sets()
