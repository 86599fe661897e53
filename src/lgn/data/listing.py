"""The files of a folder, with one subfolder for each class, or without classes."""

from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from lgn.data.errors import DataError

_SPLIT_NAMES = {"train", "test", "val", "valid", "validation"}


@dataclass(frozen=True, eq=False)
class Listing:
    """Files, the numbers of their classes (N,) if there are classes, and the number of entries that were left out."""

    paths: tuple[Path, ...]
    labels: Tensor | None
    class_names: tuple[str, ...]
    left_out: int

    def __len__(self) -> int:
        return len(self.paths)

    def part(self, index: Tensor) -> "Listing":
        """The chosen files."""
        labels = None if self.labels is None else self.labels[index]
        return replace(self, paths=tuple(self.paths[number] for number in index.tolist()), labels=labels)


def listings(path: Path, suffixes: tuple[str, ...], what: str) -> list[Listing]:
    """The files of a folder; or of its subfolders `train` and `test`, if it has both and no others.

    what: noun for one file, for messages: "image"
    """
    subfolders = {entry.name for entry in entries(path) if entry.is_dir()}
    if not subfolders or not subfolders <= _SPLIT_NAMES:
        return [_list(path, suffixes, what)]
    if subfolders != {"train", "test"}:
        raise DataError(f"{path} must have the subfolders train and test, got {', '.join(sorted(subfolders))}")
    train, test = _list(path / "train", suffixes, what), _list(path / "test", suffixes, what)
    if train.class_names != test.class_names:
        raise DataError(f"{path / 'train'} and {path / 'test'} must have subfolders of the same names")
    return [train, test]


def left_out_notes(found: list[Listing], suffixes: tuple[str, ...]) -> list[str]:
    """A note on the entries that were left out, if there are any."""
    left_out = sum(listing.left_out for listing in found)
    return [f"{left_out} entries that are not {', '.join(suffixes)} were left out"] if left_out else []


def entries(folder: Path) -> list[Path]:
    """The entries of a folder that are not hidden, sorted by name."""
    try:
        return sorted((entry for entry in folder.iterdir() if not entry.name.startswith(".")), key=lambda p: p.name)
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror or error}") from error


def _list(folder: Path, suffixes: tuple[str, ...], what: str) -> Listing:
    inside = entries(folder)
    subfolders = [entry for entry in inside if entry.is_dir()]
    if subfolders and any(_has_suffix(entry, suffixes) for entry in inside):
        raise DataError(f"{folder} has {what}s and subfolders; use one subfolder for each class, or {what}s only")
    if len(subfolders) == 1:
        raise DataError(
            f"{folder} must have at least 2 classes, got only {subfolders[0].name!r}; "
            f"for data without classes, put the {what}s into the folder itself"
        )
    paths, labels = list[Path](), list[int]()
    left_out = len(inside) - len(subfolders) if subfolders else 0
    for number, place in enumerate(subfolders or [folder]):
        candidates = entries(place)
        found = [entry for entry in candidates if _has_suffix(entry, suffixes)]
        if not found:
            raise DataError(f"{place} is empty: it has no {', '.join(suffixes)} {what}")
        paths += found
        labels += [number] * len(found)
        left_out += len(candidates) - len(found)
    class_names = tuple(subfolder.name for subfolder in subfolders)
    return Listing(tuple(paths), torch.tensor(labels) if subfolders else None, class_names, left_out)


def _has_suffix(entry: Path, suffixes: tuple[str, ...]) -> bool:
    return entry.suffix.lower() in suffixes and entry.is_file()
