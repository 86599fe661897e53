"""The user's own images: a folder with a subfolder per class, or a flat one."""

from dataclasses import dataclass
from pathlib import Path

import torch

from lgn.data.decode import Header, decode_images, read_header
from lgn.data.errors import DataError
from lgn.data.images import ImageSet, Split
from lgn.data.split import split_by_seed

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")
_SPLIT_NAMES = {"train", "test", "val", "valid", "validation"}


@dataclass(frozen=True)
class _Listing:
    """What lies in a folder: images with the number of their class (-1 without), and what was left out."""

    paths: tuple[Path, ...]
    labels: tuple[int, ...]
    class_names: tuple[str, ...]
    left_out: int


def load_folder(path: Path, *, image_size: int | None = None, seed: int = 0, test_fraction: float = 0.2) -> ImageSet:
    """A folder of PNG, JPEG or WebP images.

    - Subfolders are classes; images directly in the folder have none. `train` and `test`, each of either kind, are
      taken as the split; otherwise the split is made by seed, with the classes in balance.
    - All grey stays grey; one colour image makes the set colour. Images of several sizes need `image_size`.
    """
    subfolders = {entry.name for entry in _entries(path) if entry.is_dir()}
    if subfolders and subfolders <= _SPLIT_NAMES:
        if subfolders != {"train", "test"}:
            raise DataError(f"{path} has the subfolders {', '.join(sorted(subfolders))}; a split is train and test")
        listings = [_list(path / "train"), _list(path / "test")]
        if listings[0].class_names != listings[1].class_names:
            raise DataError(f"{path / 'train'} and {path / 'test'} must have subfolders of the same names")
    else:
        listings = [_list(path)]

    paths = [image for listing in listings for image in listing.paths]
    headers = [read_header(image) for image in paths]
    images = decode_images(paths, headers, image_size)
    class_names = listings[0].class_names
    numbers = torch.tensor([label for listing in listings for label in listing.labels])
    labels = numbers if class_names else None
    left_out = sum(listing.left_out for listing in listings)
    notes = _notes(headers, image_size, left_out)
    if len(listings) == 2:
        first = len(listings[0].paths)
        train, test = (
            Split(images[part].clone(), None if labels is None else labels[part])
            for part in (slice(None, first), slice(first, None))
        )
        return ImageSet(path.resolve().name, train, test, class_names, f"images of {path}", notes)
    try:
        train, test = split_by_seed(images, labels, test_fraction, seed)
    except DataError as error:
        raise DataError(f"{path} cannot be split: {error}") from error
    source = f"images of {path}, split with seed {seed}"
    return ImageSet(path.resolve().name, train, test, class_names, source, notes)


def _list(folder: Path) -> _Listing:
    entries = _entries(folder)
    subfolders = [entry for entry in entries if entry.is_dir()]
    images = [entry for entry in entries if _is_image(entry)]
    left_out = len(entries) - len(subfolders) - len(images)
    if images and subfolders:
        raise DataError(f"{folder} holds images and subfolders; use a subfolder for every class, or images alone")
    if not subfolders:
        if not images:
            raise DataError(f"{folder} is empty: it holds no {', '.join(SUFFIXES)} image")
        return _Listing(tuple(images), (-1,) * len(images), (), left_out)
    if len(subfolders) == 1:
        raise DataError(
            f"{folder} has one class only, {subfolders[0].name!r}; classification needs two, "
            f"and for reconstruction the images lie in the folder itself"
        )
    paths: list[Path] = []
    labels: list[int] = []
    for number, subfolder in enumerate(subfolders):
        inside = _entries(subfolder)
        found = [entry for entry in inside if _is_image(entry)]
        if not found:
            raise DataError(f"{subfolder} is empty: it holds no {', '.join(SUFFIXES)} image")
        paths += found
        labels += [number] * len(found)
        left_out += len(inside) - len(found)
    return _Listing(tuple(paths), tuple(labels), tuple(subfolder.name for subfolder in subfolders), left_out)


def _entries(folder: Path) -> list[Path]:
    """What lies in a folder, in an order that does not depend on the file system; hidden entries do not count."""
    try:
        return sorted((entry for entry in folder.iterdir() if not entry.name.startswith(".")), key=lambda p: p.name)
    except OSError as error:
        raise DataError(f"{folder} cannot be read: {error.strerror or error}") from error


def _is_image(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and path.is_file()


def _notes(headers: list[Header], image_size: int | None, left_out: int) -> tuple[str, ...]:
    notes = []
    sizes = sorted({(header.height, header.width) for header in headers})
    resized = sum((header.height, header.width) != (image_size, image_size) for header in headers)
    if image_size is not None and resized:
        (low_h, low_w), (high_h, high_w) = sizes[0], sizes[-1]
        notes.append(
            f"{resized} of {len(headers)} images were resized to {image_size}x{image_size} "
            f"(they were {low_h}x{low_w} to {high_h}x{high_w}; longer sides were cropped at the centre)"
        )
    grey = sum(header.grey for header in headers)
    if 0 < grey < len(headers):
        notes.append(f"{grey} grey images were made colour, as the other {len(headers) - grey} are")
    if left_out:
        notes.append(f"{left_out} entries that are not {', '.join(SUFFIXES)} were left out")
    return tuple(notes)
