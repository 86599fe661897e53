"""IDX files, one by one and as the folder of a data set."""

import gzip
import hashlib
import struct
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import lgn.data
from lgn.data import DataError
from lgn.data.idx import FILES, encode_idx, read_idx, read_idx_split
from lgn.data.reading import read_bytes

IMAGES = torch.arange(2 * 3 * 4, dtype=torch.uint8).reshape(2, 3, 4)


def written(directory: Path, name: str, content: bytes) -> Path:
    path = directory / name
    path.write_bytes(content)
    return path


@given(shape=st.tuples(st.integers(1, 5), st.integers(1, 6), st.integers(1, 6)), compressed=st.booleans())
def test_encoded_images_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, shape: tuple[int, int, int], compressed: bool
) -> None:
    images = torch.randint(256, shape, dtype=torch.uint8)
    content = encode_idx(images)
    path = tmp_path_factory.mktemp("idx") / "images"
    path.write_bytes(gzip.compress(content) if compressed else content)
    assert torch.equal(read_idx(path, 3), images)


def test_the_header_is_the_published_one(tmp_path: Path) -> None:
    by_hand = b"\x00\x00\x08\x03" + struct.pack(">III", 1, 2, 2) + bytes([9, 8, 7, 6])
    path = written(tmp_path, "images", by_hand)
    assert read_idx(path, 3).tolist() == [[[9, 8], [7, 6]]]


@pytest.mark.parametrize(
    "content",
    [
        encode_idx(IMAGES)[:-1],
        encode_idx(IMAGES) + b"x",
        encode_idx(IMAGES)[:9],
        b"\x00",
        encode_idx(torch.tensor([1, 2])) + bytes(20),
        b"GIF89a" + bytes(30),
        gzip.compress(encode_idx(IMAGES), mtime=0)[:-9],
        b"\x1f\x8bnot gzip after all",
        b"\x00\x00\x08\x03" + b"\xff" * 12,
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, "train-images-idx3-ubyte", content)
    with pytest.raises(DataError, match=str(path)):
        read_idx(path, 3)


def test_a_wrong_checksum_is_refused_for_plain_and_compressed_files(tmp_path: Path) -> None:
    content = encode_idx(IMAGES)
    md5 = hashlib.md5(content).hexdigest()
    other = hashlib.md5(b"other").hexdigest()
    for name, stored in (("raw", content), ("packed.gz", gzip.compress(content))):
        path = written(tmp_path, name, stored)
        assert len(read_idx(path, 3, md5)) == 2
        with pytest.raises(DataError, match=f"{name} .*checksum"):
            read_idx(path, 3, other)


def test_counts_that_differ_and_missing_files_are_refused(tmp_path: Path) -> None:
    images = written(tmp_path, "images", encode_idx(IMAGES))
    labels = written(tmp_path, "labels", encode_idx(torch.tensor([1, 2, 3])))
    with pytest.raises(DataError, match="labels must have 2"):
        read_idx_split(images, labels)
    with pytest.raises(DataError, match="nowhere"):
        read_idx_split(tmp_path / "nowhere", labels)


def test_a_gzip_bomb_stops_at_the_limit(tmp_path: Path) -> None:
    path = written(tmp_path, "bomb.gz", gzip.compress(bytes(10_000_000)))
    with pytest.raises(DataError, match="1,000 bytes"):
        read_bytes(path, 1_000)


def folder_of(folder: Path, names: tuple[str, ...] = FILES, labels: tuple[int, ...] = (0, 1, 2, 0, 1, 2)) -> list[Any]:
    random = torch.Generator().manual_seed(0)
    tensors = [
        torch.randint(256, (6, 9, 8), generator=random).to(torch.uint8),
        torch.tensor(labels, dtype=torch.uint8),
        torch.randint(256, (4, 9, 8), generator=random).to(torch.uint8),
        torch.tensor([labels[2], 1, 0, 0], dtype=torch.uint8),
    ]
    for name, tensor in zip(names, tensors, strict=True):
        content = encode_idx(tensor)
        (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return tensors


@pytest.mark.parametrize(
    "names",
    [FILES, (FILES[0], f"{FILES[1]}.gz", *FILES[2:]), tuple(name.replace("-idx", ".idx") for name in FILES)],
    ids=["plain", "partly gzip", "dotted"],
)
def test_a_folder_with_four_idx_files(tmp_path: Path, names: tuple[str, ...]) -> None:
    images, labels, test_images, test_labels = folder_of(tmp_path, names)
    found = lgn.data.load(tmp_path)
    assert torch.equal(found.train.samples[:, 0], images)
    assert torch.equal(found.test.samples[:, 0], test_images)
    assert found.train.labels is not None
    assert found.test.labels is not None
    assert found.train.labels.tolist() == labels.tolist()
    assert found.test.labels.tolist() == test_labels.tolist()
    assert (found.class_names, found.name) == (("0", "1", "2"), tmp_path.name)
    assert lgn.data.load(tmp_path, image_size=4).image_shape == (1, 4, 4)


def test_incomplete_folders_are_refused(tmp_path: Path) -> None:
    folder_of(tmp_path)
    (tmp_path / FILES[3]).unlink()
    with pytest.raises(DataError, match=FILES[3]):
        lgn.data.load(tmp_path)


def test_classes_that_are_not_in_train_are_reported_once(tmp_path: Path) -> None:
    folder_of(tmp_path)
    images = encode_idx(torch.zeros(4, 9, 8))
    (tmp_path / FILES[2]).write_bytes(images)
    (tmp_path / FILES[3]).write_bytes(encode_idx(torch.tensor([0, 3, 1, 3])))
    with pytest.warns(lgn.LgnWarning, match=r"2 test images .*\(3\)") as caught:
        lgn.data.load(tmp_path)
    assert len(caught) == 1
