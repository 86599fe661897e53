"""Folders of image files."""

from pathlib import Path

from lgn.data.dataset import DataSet, Split
from lgn.data.decode import Header, decode_images, read_header
from lgn.data.listing import left_out_notes, listings
from lgn.data.splitting import read_set

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
    images = decode_images(paths, headers, image_size).split([len(listing) for listing in found])
    parts = [Split(samples.clone(), listing.labels) for samples, listing in zip(images, found, strict=True)]
    notes = (*_notes(headers, image_size), *left_out_notes(found, SUFFIXES))
    facts = {"kind": "images", "class_names": found[0].class_names, "notes": notes}
    return read_set(path, "images", parts, seed, test_fraction, **facts)


def _notes(headers: list[Header], image_size: int | None) -> list[str]:
    notes = []
    sizes = sorted({header.size for header in headers})
    resized = sum(header.size != (image_size, image_size) for header in headers)
    if image_size is not None and resized:
        (low_h, low_w), (high_h, high_w) = sizes[0], sizes[-1]
        notes.append(
            f"{resized} of {len(headers)} images were resized to {image_size}x{image_size} "
            f"(from {low_h}x{low_w} to {high_h}x{high_w}; longer sides were cropped at the centre)"
        )
    grey = sum(header.grey for header in headers)
    if 0 < grey < len(headers):
        notes.append(f"{grey} grey images were made colour, because the other {len(headers) - grey} are")
    return notes
