import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

import lgn.data
from lgn.data import DataError


def save(path: Path, array: np.ndarray, **options: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(array).save(path, **options)


def grey(value: int, height: int = 6, width: int = 6) -> np.ndarray:
    return np.full((height, width), value, np.uint8)


def two_classes(folder: Path, count: int = 10) -> Path:
    for number in range(count):
        save(folder / "cats" / f"{number}.png", grey(number))
        save(folder / "dogs" / f"{number}.png", grey(100 + number))
    return folder


def png_header_of(width: int, height: int) -> bytes:
    """A PNG of a few bytes that promises any size."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def test_subfolders_are_classes_split_in_balance(tmp_path):
    images = lgn.data.load(two_classes(tmp_path), seed=1)
    assert images.class_names == ("cats", "dogs")
    assert images.image_shape == (1, 6, 6)
    assert images.train.labels.bincount().tolist() == [8, 8]
    assert images.test.labels.bincount().tolist() == [2, 2]
    seen = torch.cat([images.train.samples, images.test.samples])[:, 0, 0, 0]
    labels = torch.cat([images.train.labels, images.test.labels])
    assert sorted(seen.tolist()) == [*range(10), *range(100, 110)]
    assert torch.equal(labels, (seen >= 100).long())


def test_the_split_is_a_function_of_the_seed(tmp_path):
    two_classes(tmp_path, 20)
    first, again, other = (lgn.data.load(tmp_path, seed=seed).checksum() for seed in (1, 1, 2))
    assert first == again != other


def test_a_flat_folder_has_no_labels(tmp_path):
    for number in range(5):
        save(tmp_path / f"{number}.png", grey(number))
    images = lgn.data.load(tmp_path)
    assert images.train.labels is None
    assert images.test.labels is None
    assert images.class_names == ()
    assert (len(images.train), len(images.test)) == (4, 1)


def test_train_and_test_folders_are_the_split(tmp_path):
    two_classes(tmp_path / "train", 3)
    two_classes(tmp_path / "test", 2)
    images = lgn.data.load(tmp_path)
    assert images.class_names == ("cats", "dogs")
    assert images.train.samples[:, 0, 0, 0].tolist() == [0, 1, 2, 100, 101, 102]
    assert images.test.labels.tolist() == [0, 0, 1, 1]
    (tmp_path / "test").rename(tmp_path / "val")
    with pytest.raises(DataError, match="has the subfolders train, val; a split is train and test"):
        lgn.data.load(tmp_path)


def test_train_and_test_of_different_classes_are_refused(tmp_path):
    two_classes(tmp_path / "train")
    two_classes(tmp_path / "test")
    (tmp_path / "test" / "dogs").rename(tmp_path / "test" / "wolves")
    with pytest.raises(DataError, match="must have subfolders of the same names"):
        lgn.data.load(tmp_path)


def test_png_is_exact_and_jpeg_and_webp_are_near(tmp_path):
    ramp = np.add.outer(np.arange(0, 160, 10), np.arange(0, 64, 4)).astype(np.uint8)
    colour = np.stack([ramp, ramp[::-1], 255 - ramp], -1)
    save(tmp_path / "a.png", colour)
    save(tmp_path / "b.JPG", colour, quality=95, subsampling=0, format="JPEG")
    save(tmp_path / "c.webp", colour, lossless=True)
    images = lgn.data.load(tmp_path, test_fraction=0.4)
    found = torch.cat([images.train.samples, images.test.samples]).float()
    expected = torch.from_numpy(colour).permute(2, 0, 1).float()
    worst = (found - expected).abs().amax((1, 2, 3)).sort().values
    assert worst[:2].tolist() == [0, 0]
    assert worst[2] < 20


def test_one_colour_image_makes_the_set_colour(tmp_path):
    two_classes(tmp_path, 3)
    save(tmp_path / "dogs" / "colour.png", np.full((6, 6, 3), (1, 2, 3), np.uint8))
    images = lgn.data.load(tmp_path)
    assert images.image_shape == (3, 6, 6)
    assert "6 grey images were made colour, as the other 1 are" in images.notes


def test_sixteen_bits_are_scaled_and_transparency_is_white(tmp_path):
    save(tmp_path / "a.png", np.full((4, 4), 0x80FF, np.uint16))
    save(tmp_path / "b.png", np.zeros((4, 4, 2), np.uint8))  # black, and wholly transparent
    images = lgn.data.load(tmp_path, test_fraction=0.5)
    values = torch.cat([images.train.samples, images.test.samples]).flatten(1).unique(dim=1)
    assert sorted(values.flatten().tolist()) == [0x80, 255]


def test_the_camera_held_on_its_side_is_put_right(tmp_path):
    tall = grey(0, 8, 4)
    tall[0] = 255
    save(tmp_path / "a.png", tall)
    exif = Image.Exif()
    exif[0x0112] = 6  # to be shown, turn it clockwise by a quarter
    save(tmp_path / "b.png", np.ascontiguousarray(np.rot90(tall)), exif=exif)
    images = lgn.data.load(tmp_path, test_fraction=0.5)
    assert torch.equal(images.train.samples, images.test.samples)


def test_mixed_sizes_need_an_image_size_and_say_what_was_resized(tmp_path):
    two_classes(tmp_path, 3)
    save(tmp_path / "cats" / "wide.png", grey(50, 12, 20))
    with pytest.raises(DataError, match=r"from 6x6 \(0.png\) to 12x20 \(wide.png\); choose one with image_size"):
        lgn.data.load(tmp_path)
    images = lgn.data.load(tmp_path, image_size=6)
    assert images.image_shape == (1, 6, 6)
    assert images.notes[0].startswith("1 of 7 images were resized to 6x6 (they were 6x6 to 12x20")
    assert 50 in torch.cat([images.train.samples, images.test.samples])[:, 0, 3, 3].tolist()


def test_what_is_no_image_is_left_out_with_a_word(tmp_path):
    two_classes(tmp_path)
    (tmp_path / "cats" / "readme.txt").write_text("cats")
    (tmp_path / "cats" / ".DS_Store").write_text("hidden")
    images = lgn.data.load(tmp_path)
    assert images.notes == ("1 entries that are not .png, .jpg, .jpeg, .webp were left out",)
    assert len(images.train) + len(images.test) == 20


def test_an_image_that_is_a_text_file_is_refused(tmp_path):
    two_classes(tmp_path)
    (tmp_path / "cats" / "text.png").write_text("I am no image")
    with pytest.raises(DataError, match=r"cats/text\.png is not a PNG, JPEG or WebP image"):
        lgn.data.load(tmp_path)


def test_a_truncated_image_is_refused(tmp_path):
    two_classes(tmp_path)
    path = tmp_path / "cats" / "half.png"
    save(path, np.random.default_rng(0).integers(0, 255, (6, 6), np.uint8))
    path.write_bytes(path.read_bytes()[:60])
    with pytest.raises(DataError, match=r"cats/half\.png is (damaged|not a PNG)"):
        lgn.data.load(tmp_path)


@pytest.mark.parametrize("size", [(10_000, 10_000), (40_000, 40_000), (2**31 - 1, 2**31 - 1)])
def test_an_image_of_gigapixels_is_refused_before_it_is_decoded(tmp_path, size):
    two_classes(tmp_path)
    (tmp_path / "cats" / "bomb.png").write_bytes(png_header_of(*size))
    with pytest.raises(DataError, match=r"cats/bomb\.png"):
        lgn.data.load(tmp_path, image_size=6)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(DataError, match="is empty"):
        lgn.data.load(tmp_path)
    two_classes(tmp_path)
    (tmp_path / "eels").mkdir()
    with pytest.raises(DataError, match="eels is empty"):
        lgn.data.load(tmp_path)


def test_one_class_only_is_refused(tmp_path):
    save(tmp_path / "cats" / "1.png", grey(1))
    with pytest.raises(DataError, match="one class only, 'cats'"):
        lgn.data.load(tmp_path)


def test_images_beside_subfolders_are_refused(tmp_path):
    save(two_classes(tmp_path) / "stray.png", grey(1))
    with pytest.raises(DataError, match="holds images and subfolders"):
        lgn.data.load(tmp_path)


def test_a_class_of_one_image_cannot_be_split(tmp_path):
    save(two_classes(tmp_path) / "eels" / "1.png", grey(1))
    with pytest.raises(DataError, match="at least 2 images of each class, class 2 has 1"):
        lgn.data.load(tmp_path)
