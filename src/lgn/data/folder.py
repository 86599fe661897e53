"""The user's own images: a folder with a subfolder per class, or a flat one."""

from pathlib import Path

import torch

from lgn.data.dataset import DataSet, Split
from lgn.data.decode import Header, decode_images, read_header
from lgn.data.errors import DataError
from lgn.data.listing import listings
from lgn.data.split import split_by_seed

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


def load_folder(path: Path, *, image_size: int | None = None, seed: int = 0, test_fraction: float = 0.2) -> DataSet:
    """A folder of PNG, JPEG or WebP images.

    - Subfolders are classes; images directly in the folder have none. `train` and `test`, each of either kind, are
      taken as the split; otherwise the split is made by seed, with the classes in balance.
    - All grey stays grey; one colour image makes the set colour. Images of several sizes need `image_size`.
    """
    found = listings(path, SUFFIXES, "image")
    paths = [image for listing in found for image in listing.paths]
    headers = [read_header(image) for image in paths]
    images = decode_images(paths, headers, image_size)
    class_names = found[0].class_names
    numbers = torch.tensor([label for listing in found for label in listing.labels])
    labels = numbers if class_names else None
    left_out = sum(listing.left_out for listing in found)
    notes = _notes(headers, image_size, left_out)
    if len(found) == 2:
        first = len(found[0].paths)
        train, test = (
            Split(images[part].clone(), None if labels is None else labels[part])
            for part in (slice(None, first), slice(first, None))
        )
        return DataSet(path.resolve().name, train, test, class_names, f"images of {path}", notes)
    try:
        train, test = split_by_seed(images, labels, test_fraction, seed)
    except DataError as error:
        raise DataError(f"{path} cannot be split: {error}") from error
    source = f"images of {path}, split with seed {seed}"
    return DataSet(path.resolve().name, train, test, class_names, source, notes)


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
