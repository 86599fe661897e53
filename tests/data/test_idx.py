import gzip
import hashlib
import struct
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lgn.data import DataError
from lgn.data.files import read_bytes
from lgn.data.idx import encode_idx, read_idx_images, read_idx_labels, read_idx_split

IMAGES = torch.arange(2 * 3 * 4, dtype=torch.uint8).reshape(2, 3, 4)


def written(directory: Path, name: str, content: bytes) -> Path:
    path = directory / name
    path.write_bytes(content)
    return path


@given(shape=st.tuples(st.integers(1, 5), st.integers(1, 6), st.integers(1, 6)), compressed=st.booleans())
def test_what_is_written_is_read(tmp_path_factory, shape, compressed):
    images = torch.randint(256, shape, dtype=torch.uint8)
    content = encode_idx(images)
    path = tmp_path_factory.mktemp("idx") / "images"
    path.write_bytes(gzip.compress(content) if compressed else content)
    assert torch.equal(read_idx_images(path), images[:, None])


def test_the_header_is_the_published_one(tmp_path):
    by_hand = b"\x00\x00\x08\x03" + struct.pack(">III", 1, 2, 2) + bytes([9, 8, 7, 6])
    path = written(tmp_path, "images", by_hand)
    assert read_idx_images(path).tolist() == [[[[9, 8], [7, 6]]]]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (encode_idx(IMAGES)[:-1], "is truncated: its header promises 24 bytes of images, it has 23"),
        (encode_idx(IMAGES) + b"x", "has bytes too many"),
        (encode_idx(IMAGES)[:9], "is truncated: 9 bytes"),
        (b"\x00", "is truncated: 1 bytes"),
        (encode_idx(torch.tensor([1, 2])), "has the magic number 0x00000801, IDX images have 0x00000803"),
        (b"GIF89a" + bytes(30), "magic number"),
        (gzip.compress(encode_idx(IMAGES), mtime=0)[:-9], "truncated or damaged gzip"),
        (b"\x1f\x8bnot gzip after all", "truncated or damaged gzip"),
        (b"\x00\x00\x08\x03" + b"\xff" * 12, "is truncated"),
    ],
)
def test_a_broken_file_is_refused_with_its_name_and_reason(tmp_path, content, reason):
    path = written(tmp_path, "train-images-idx3-ubyte", content)
    with pytest.raises(DataError, match=reason) as caught:
        read_idx_images(path)
    assert str(path) in str(caught.value)


def test_a_wrong_checksum_is_refused_raw_and_compressed_alike(tmp_path):
    content = encode_idx(IMAGES)
    md5 = hashlib.md5(content).hexdigest()
    other = hashlib.md5(b"other").hexdigest()
    for name, stored in (("raw", content), ("packed.gz", gzip.compress(content))):
        path = written(tmp_path, name, stored)
        assert len(read_idx_images(path, md5)) == 2
        with pytest.raises(DataError, match=f"{name} has a wrong checksum"):
            read_idx_images(path, other)


def test_labels_out_of_range_are_refused(tmp_path):
    path = written(tmp_path, "labels", encode_idx(torch.tensor([0, 9, 10])))
    with pytest.raises(DataError, match=r"has the label 10, allowed are 0\.\.9"):
        read_idx_labels(path, 10)


def test_counts_that_differ_are_refused(tmp_path):
    images = written(tmp_path, "images", encode_idx(IMAGES))
    labels = written(tmp_path, "labels", encode_idx(torch.tensor([1, 2, 3])))
    with pytest.raises(DataError, match=r"2 images but .*labels has 3 labels"):
        read_idx_split(images, labels, 10)


def test_a_gzip_bomb_stops_at_the_limit(tmp_path):
    path = written(tmp_path, "bomb.gz", gzip.compress(bytes(10_000_000)))
    with pytest.raises(DataError, match="more than the 1,000 bytes"):
        read_bytes(path, 1_000)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match=r"nowhere cannot be read: No such file"):
        read_idx_images(tmp_path / "nowhere")
