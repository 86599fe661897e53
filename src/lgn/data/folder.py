"""Folders of image files."""

from pathlib import Path

import torch

from lgn.data.dataset import DataSet, Split
from lgn.data.decode import Header, decode_images, read_header
from lgn.data.listing import listings
from lgn.data.splitting import train_and_test

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")


def load_folder(path: Path, *, image_size: int | None = None, seed: int = 0, test_fraction: float = 0.2) -> DataSet:
    """A folder of PNG, JPEG or WebP images.

    - Subfolders are classes; images directly in the folder have no labels. The subfolders `train` and `test` are taken
      as the split; otherwise `seed` splits every class in the same proportion.
    - Images are grey if all of them are grey, otherwise colour. Images of several sizes need `image_size`.
    """
    found = listings(path, SUFFIXES, "image")
    paths = [image for listing in found for image in listing.paths]
    headers = [read_header(image) for image in paths]
    class_names = found[0].class_names
    images = decode_images(paths, headers, image_size).split([len(listing.paths) for listing in found])
    parts = [
        Split(samples.clone(), torch.tensor(listing.labels) if class_names else None)
        for samples, listing in zip(images, found, strict=True)
    ]
    train, test, how = train_and_test(parts, test_fraction, seed, path)
    return DataSet(
        name=path.resolve().name,
        kind="images",
        train=train,
        test=test,
        class_names=class_names,
        source=f"images of {path}{how}",
        notes=_notes(headers, image_size, sum(listing.left_out for listing in found)),
    )


def _notes(headers: list[Header], image_size: int | None, left_out: int) -> tuple[str, ...]:
    notes = []
    sizes = sorted({(header.height, header.width) for header in headers})
    resized = sum((header.height, header.width) != (image_size, image_size) for header in headers)
    if image_size is not None and resized:
        (low_h, low_w), (high_h, high_w) = sizes[0], sizes[-1]
        notes.append(
            f"{resized} of {len(headers)} images were resized to {image_size}x{image_size} "
            f"(from {low_h}x{low_w} to {high_h}x{high_w}; longer sides were cropped at the centre)"
        )
    grey = sum(header.grey for header in headers)
    if 0 < grey < len(headers):
        notes.append(f"{grey} grey images were made colour, because the other {len(headers) - grey} are")
    if left_out:
        notes.append(f"{left_out} entries that are not {', '.join(SUFFIXES)} were left out")
    return tuple(notes)
