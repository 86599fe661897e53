"""What lies in a folder: files of one kind, with a subfolder per class, or flat."""

from dataclasses import dataclass
from pathlib import Path

from lgn.data.errors import DataError

_SPLIT_NAMES = {"train", "test", "val", "valid", "validation"}


@dataclass(frozen=True)
class Listing:
    """Files with the number of their class (-1 without), and how many entries were left out."""

    paths: tuple[Path, ...]
    labels: tuple[int, ...]
    class_names: tuple[str, ...]
    left_out: int


def listings(path: Path, suffixes: tuple[str, ...], what: str) -> list[Listing]:
    """That of the folder; or those of its subfolders `train` and `test`, where it has these.

    what: one of the files, for messages: "image"
    """
    subfolders = {entry.name for entry in entries(path) if entry.is_dir()}
    if not subfolders or not subfolders <= _SPLIT_NAMES:
        return [_list(path, suffixes, what)]
    if subfolders != {"train", "test"}:
        raise DataError(f"{path} has the subfolders {', '.join(sorted(subfolders))}; a split is train and test")
    found = [_list(path / "train", suffixes, what), _list(path / "test", suffixes, what)]
    if found[0].class_names != found[1].class_names:
        raise DataError(f"{path / 'train'} and {path / 'test'} must have subfolders of the same names")
    return found


def entries(folder: Path) -> list[Path]:
    """What lies in a folder, in an order that does not depend on the file system; hidden entries do not count."""
    try:
        return sorted((entry for entry in folder.iterdir() if not entry.name.startswith(".")), key=lambda p: p.name)
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror or error}") from error


def _list(folder: Path, suffixes: tuple[str, ...], what: str) -> Listing:
    def chosen(among: list[Path]) -> list[Path]:
        return [entry for entry in among if entry.suffix.lower() in suffixes and entry.is_file()]

    inside = entries(folder)
    subfolders = [entry for entry in inside if entry.is_dir()]
    files = chosen(inside)
    left_out = len(inside) - len(subfolders) - len(files)
    if files and subfolders:
        raise DataError(f"{folder} holds {what}s and subfolders; use a subfolder for every class, or {what}s alone")
    if not subfolders:
        if not files:
            raise DataError(f"{folder} is empty: it holds no {', '.join(suffixes)} {what}")
        return Listing(tuple(files), (-1,) * len(files), (), left_out)
    if len(subfolders) == 1:
        raise DataError(
            f"{folder} has one class only, {subfolders[0].name!r}; classification needs two, "
            f"and for reconstruction the {what}s lie in the folder itself"
        )
    paths: list[Path] = []
    labels: list[int] = []
    for number, subfolder in enumerate(subfolders):
        within = entries(subfolder)
        found = chosen(within)
        if not found:
            raise DataError(f"{subfolder} is empty: it holds no {', '.join(suffixes)} {what}")
        paths += found
        labels += [number] * len(found)
        left_out += len(within) - len(found)
    return Listing(tuple(paths), tuple(labels), tuple(subfolder.name for subfolder in subfolders), left_out)
