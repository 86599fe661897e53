"""The files of a folder, with one subfolder for each class, or without classes."""

from dataclasses import dataclass, replace
from pathlib import Path

from lgn.data.errors import DataError

_SPLIT_NAMES = {"train", "test", "val", "valid", "validation"}


@dataclass(frozen=True)
class Listing:
    """Files with the numbers of their classes (-1 without classes), and the number of entries that were left out."""

    paths: tuple[Path, ...]
    labels: tuple[int, ...]
    class_names: tuple[str, ...]
    left_out: int

    def part(self, numbers: list[int]) -> "Listing":
        """The files with these numbers."""
        chosen = [(self.paths[number], self.labels[number]) for number in numbers]
        paths, labels = zip(*chosen, strict=True)
        return replace(self, paths=paths, labels=labels)


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


def entries(folder: Path) -> list[Path]:
    """The entries of a folder that are not hidden, sorted by name."""
    try:
        return sorted((entry for entry in folder.iterdir() if not entry.name.startswith(".")), key=lambda p: p.name)
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror or error}") from error


def _list(folder: Path, suffixes: tuple[str, ...], what: str) -> Listing:
    inside = entries(folder)
    subfolders = [entry for entry in inside if entry.is_dir()]
    files = _with_suffix(inside, suffixes)
    if files and subfolders:
        raise DataError(f"{folder} has {what}s and subfolders; use one subfolder for each class, or {what}s only")
    if not subfolders:
        left_out = len(inside) - len(_require_files(files, folder, suffixes, what))
        return Listing(tuple(files), (-1,) * len(files), (), left_out)
    if len(subfolders) == 1:
        raise DataError(
            f"{folder} must have at least 2 classes, got only {subfolders[0].name!r}; "
            f"for data without classes, put the {what}s into the folder itself"
        )
    paths: list[Path] = []
    labels: list[int] = []
    left_out = len(inside) - len(subfolders)
    for number, subfolder in enumerate(subfolders):
        candidates = entries(subfolder)
        found = _require_files(_with_suffix(candidates, suffixes), subfolder, suffixes, what)
        paths += found
        labels += [number] * len(found)
        left_out += len(candidates) - len(found)
    return Listing(tuple(paths), tuple(labels), tuple(subfolder.name for subfolder in subfolders), left_out)


def _with_suffix(candidates: list[Path], suffixes: tuple[str, ...]) -> list[Path]:
    return [entry for entry in candidates if entry.suffix.lower() in suffixes and entry.is_file()]


def _require_files(files: list[Path], folder: Path, suffixes: tuple[str, ...], what: str) -> list[Path]:
    if not files:
        raise DataError(f"{folder} is empty: it has no {', '.join(suffixes)} {what}")
    return files
