"""Folders of image files."""

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

import lgn.data
from lgn.data import DataError


def save(path: Path, array: np.ndarray, **options: Any) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(array).save(path, **options)


def grey(value: int, height: int = 6, width: int = 6) -> np.ndarray:
    return np.full((height, width), value, np.uint8)


def two_classes(folder: Path, count: int = 10) -> Path:
    for number in range(count):
        save(folder / "cats" / f"{number}.png", grey(number))
        save(folder / "dogs" / f"{number}.png", grey(100 + number))
    return folder


def both_parts(found: lgn.data.DataSet) -> torch.Tensor:
    return torch.cat([found.train.samples, found.test.samples])


def test_subfolders_are_classes_and_the_seed_splits_them(tmp_path: Path) -> None:
    found = lgn.data.load(two_classes(tmp_path), seed=1)
    assert found.class_names == ("cats", "dogs")
    assert found.image_shape == (1, 6, 6)
    assert found.train.labels is not None
    assert found.test.labels is not None
    assert found.train.labels.bincount().tolist() == [8, 8]
    assert found.test.labels.bincount().tolist() == [2, 2]
    pixels, labels = both_parts(found)[:, 0, 0, 0], torch.cat([found.train.labels, found.test.labels])
    assert sorted(pixels.tolist()) == [*range(10), *range(100, 110)]
    assert torch.equal(labels, (pixels >= 100).long())
    again, other = (lgn.data.load(tmp_path, seed=seed).checksum() for seed in (1, 2))
    assert found.checksum() == again != other


def test_a_flat_folder_has_no_labels(tmp_path: Path) -> None:
    for number in range(5):
        save(tmp_path / f"{number}.png", grey(number))
    found = lgn.data.load(tmp_path)
    assert (found.train.labels, found.test.labels, found.class_names) == (None, None, ())
    assert (len(found.train), len(found.test)) == (4, 1)


def test_train_and_test_folders_are_the_split(tmp_path: Path) -> None:
    two_classes(tmp_path / "train", 3)
    two_classes(tmp_path / "test", 2)
    found = lgn.data.load(tmp_path)
    assert found.train.samples[:, 0, 0, 0].tolist() == [0, 1, 2, 100, 101, 102]
    assert found.test.labels is not None
    assert found.test.labels.tolist() == [0, 0, 1, 1]
    (tmp_path / "test" / "dogs").rename(tmp_path / "test" / "wolves")
    with pytest.raises(DataError, match=r"train and .*test"):
        lgn.data.load(tmp_path)
    (tmp_path / "test").rename(tmp_path / "val")
    with pytest.raises(DataError, match="train and test, got train, val"):
        lgn.data.load(tmp_path)


def test_png_is_exact_and_jpeg_and_webp_are_close(tmp_path: Path) -> None:
    ramp = np.add.outer(np.arange(0, 160, 10), np.arange(0, 64, 4)).astype(np.uint8)
    colour = np.stack([ramp, ramp[::-1], 255 - ramp], -1)
    save(tmp_path / "a.png", colour)
    save(tmp_path / "b.JPG", colour, quality=95, subsampling=0, format="JPEG")
    save(tmp_path / "c.webp", colour, lossless=True)
    found = lgn.data.load(tmp_path, test_fraction=0.4)
    expected = torch.from_numpy(colour).permute(2, 0, 1).float()
    worst = (both_parts(found).float() - expected).abs().amax((1, 2, 3)).sort().values
    assert worst[:2].tolist() == [0, 0]
    assert worst[2] < 20


def test_one_colour_image_makes_all_images_colour(tmp_path: Path) -> None:
    two_classes(tmp_path, 3)
    save(tmp_path / "dogs" / "colour.png", np.full((6, 6, 3), (1, 2, 3), np.uint8))
    found = lgn.data.load(tmp_path)
    assert found.image_shape == (3, 6, 6)
    assert len(found.notes) == 1


def test_sixteen_bits_are_scaled_and_transparency_is_white(tmp_path: Path) -> None:
    save(tmp_path / "a.png", np.full((4, 4), 0x80FF, np.uint16))
    save(tmp_path / "b.png", np.zeros((4, 4, 2), np.uint8))  # black and wholly transparent
    values = both_parts(lgn.data.load(tmp_path, test_fraction=0.5)).flatten(1).unique(dim=1)
    assert sorted(values.flatten().tolist()) == [0x80, 255]


def test_the_orientation_of_the_camera_is_undone(tmp_path: Path) -> None:
    tall = grey(0, 8, 4)
    tall[0] = 255
    save(tmp_path / "a.png", tall)
    exif = Image.Exif()
    exif[0x0112] = 6  # show it turned clockwise by a quarter
    save(tmp_path / "b.png", np.ascontiguousarray(np.rot90(tall)), exif=exif)
    found = lgn.data.load(tmp_path, test_fraction=0.5)
    assert torch.equal(found.train.samples, found.test.samples)


def test_several_sizes_need_an_image_size(tmp_path: Path) -> None:
    two_classes(tmp_path, 3)
    save(tmp_path / "cats" / "wide.png", grey(50, 12, 20))
    with pytest.raises(DataError, match=r"image_size .*6x6 \(\d.png\) to 12x20 \(wide.png\)"):
        lgn.data.load(tmp_path)
    found = lgn.data.load(tmp_path, image_size=6)
    assert found.image_shape == (1, 6, 6)
    assert found.notes[0].startswith("1 of 7 images")
    assert 50 in both_parts(found)[:, 0, 3, 3].tolist()


def test_other_files_are_left_out_with_a_note(tmp_path: Path) -> None:
    two_classes(tmp_path)
    (tmp_path / "cats" / "readme.txt").write_text("cats")
    (tmp_path / "cats" / ".DS_Store").write_text("hidden")
    found = lgn.data.load(tmp_path)
    assert [note[:1] for note in found.notes] == ["1"]
    assert len(found.train) + len(found.test) == 20


def png_header_of(width: int, height: int) -> bytes:
    """A PNG of a few bytes that claims any size."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    "content",
    [b"I am not an image", png_header_of(10_000, 10_000), png_header_of(40_000, 40_000), png_header_of(2**31 - 1, 9)],
    ids=["text", "100 megapixels", "1600 megapixels", "2 gigapixels"],
)
def test_images_that_must_not_be_decoded_are_refused(tmp_path: Path, content: bytes) -> None:
    two_classes(tmp_path)
    (tmp_path / "cats" / "bad.png").write_bytes(content)
    with pytest.raises(DataError, match=r"cats/bad\.png"):
        lgn.data.load(tmp_path, image_size=6)


def test_folders_without_usable_classes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="empty"):
        lgn.data.load(tmp_path)
    save(tmp_path / "cats" / "1.png", grey(1))
    with pytest.raises(DataError, match="2 classes, got only 'cats'"):
        lgn.data.load(tmp_path)
    two_classes(tmp_path)
    (tmp_path / "eels").mkdir()
    with pytest.raises(DataError, match="eels is empty"):
        lgn.data.load(tmp_path)
    save(tmp_path / "eels" / "1.png", grey(1))
    with pytest.raises(DataError, match="labels.*class 2"):
        lgn.data.load(tmp_path)
    save(tmp_path / "stray.png", grey(1))
    with pytest.raises(DataError, match="images and subfolders"):
        lgn.data.load(tmp_path)
