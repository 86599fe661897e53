import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import lgn.data
from lgn.data import DataError

IMAGES = np.arange(20 * 3 * 4 * 5).reshape(20, 3, 4, 5).astype(np.uint8)
LABELS = np.arange(20) % 2


def saved(directory: Path, **arrays: Any) -> Path:
    path = directory / "mine.npz"
    np.savez(path, **arrays)
    return path


def everything(dataset: lgn.data.DataSet) -> torch.Tensor:
    return torch.cat([dataset.train.samples, dataset.test.samples])


def test_images_and_labels(tmp_path):
    images = lgn.data.load(saved(tmp_path, images=IMAGES, labels=LABELS), seed=3)
    assert images.train.labels.bincount().tolist() == [8, 8]
    assert images.test.labels.bincount().tolist() == [2, 2]
    assert images.class_names == ("0", "1")
    both = {
        image.numpy().tobytes(): int(label)
        for split in (images.train, images.test)
        for image, label in zip(split.samples, split.labels, strict=True)
    }
    assert both == {image.tobytes(): int(label) for image, label in zip(IMAGES, LABELS, strict=True)}


@pytest.mark.parametrize(
    ("array", "shape"),
    [(IMAGES, (3, 4, 5)), (IMAGES.transpose(0, 2, 3, 1), (3, 4, 5)), (IMAGES[:, 0], (1, 4, 5))],
)
def test_channels_first_last_or_none(tmp_path, array, shape):
    images = lgn.data.load(saved(tmp_path, images=array))
    assert images.image_shape == shape
    assert images.train.labels is None
    expected = torch.from_numpy(IMAGES[:, : shape[0]].copy())
    assert sorted(everything(images).flatten(1).tolist()) == sorted(expected.flatten(1).tolist())


@pytest.mark.parametrize(
    ("array", "expected"),
    [
        (np.tile([0.0, 0.5, 1.0], (4, 2, 1)), [0, 128, 255]),
        (np.tile([0.0, 0.5, 254.6], (4, 2, 1)), [0, 0, 255]),
        (np.tile(np.array([0, 1, 255], np.int32), (4, 2, 1)), [0, 1, 255]),
        (np.tile([True, False, True], (4, 2, 1)), [255, 0, 255]),
    ],
)
def test_numbers_become_bytes(tmp_path, array, expected):
    images = lgn.data.load(saved(tmp_path, images=array))
    assert everything(images)[0, 0, 0].tolist() == expected


def test_a_given_test_set_is_kept_and_shares_the_scale(tmp_path):
    path = saved(
        tmp_path,
        images=np.full((4, 2, 2), 200.0),
        labels=np.array(["b", "a", "b", "a"]),
        test_images=np.full((2, 2, 2), 1.0),
        test_labels=np.array(["a", "a"]),
    )
    images = lgn.data.load(path)
    assert images.class_names == ("a", "b")
    assert images.train.labels.tolist() == [1, 0, 1, 0]
    assert images.test.labels.tolist() == [0, 0]
    assert images.test.samples.unique().tolist() == [1]


def test_class_names_may_be_given(tmp_path):
    names = np.array(["cat", "dog", "eel"])
    images = lgn.data.load(saved(tmp_path, images=IMAGES, labels=LABELS, class_names=names))
    assert images.class_names == ("cat", "dog", "eel")


BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"pictures": IMAGES}, "must hold an array 'images'"),
    ({"images": IMAGES, "labels": LABELS[:-1]}, r"labels must be \(20,\), one for each of the images, got \(19,\)"),
    ({"images": IMAGES, "labels": LABELS - 1}, "out of range: -1 is below 0"),
    ({"images": IMAGES, "labels": LABELS + 1, "class_names": np.array(["a", "b"])}, r"out of range: .* 0\.\.1"),
    ({"images": IMAGES, "labels": LABELS / 2}, "labels must be integers or names"),
    ({"images": IMAGES, "labels": LABELS * 0}, "at least 2 classes, all are 0"),
    ({"images": np.full((4, 2, 2), np.nan)}, "images holds values that are not finite"),
    ({"images": np.array([[[0.0, np.inf]]] * 4)}, "images holds values that are not finite"),
    ({"images": np.full((4, 2, 2), -0.5)}, r"must lie in 0\.\.1 or 0\.\.255, got -0\.5"),
    ({"images": np.full((4, 2, 2), 256)}, "must lie in"),
    ({"images": np.zeros((4, 2, 2), complex)}, "must hold numbers"),
    ({"images": np.zeros((4, 2, 2, 2))}, "with 1 or 3 channels"),
    ({"images": np.zeros((0, 2, 2))}, r"got \(0, 1, 2, 2\)"),
    ({"images": np.zeros(5)}, "images must be"),
    ({"images": np.array([{}, []], dtype=object)}, "holds Python objects"),
    ({"images": IMAGES, "labels": np.array([None] * 20)}, "labels.npy holds Python objects"),
    ({"images": IMAGES, "test_labels": LABELS}, "test_labels but no test_images"),
    ({"images": IMAGES, "labels": LABELS, "test_images": IMAGES}, "both have labels, or neither"),
    ({"images": IMAGES[:1]}, "at least 2 images"),
]


@pytest.mark.parametrize(("arrays", "reason"), BROKEN)
def test_broken_arrays_are_refused_with_the_file_and_the_reason(tmp_path, arrays, reason):
    path = saved(tmp_path, **arrays)
    with pytest.raises(DataError, match=reason) as caught:
        lgn.data.load(path)
    assert str(path) in str(caught.value)


@pytest.mark.parametrize("keep", [0, 10, 200, -30])
def test_a_truncated_file_is_refused(tmp_path, keep):
    path = saved(tmp_path, images=IMAGES)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataError, match=r"mine\.npz is not a readable \.npz file"):
        lgn.data.load(path)


def test_a_damaged_array_is_refused(tmp_path):
    path = saved(tmp_path, images=IMAGES)
    content = bytearray(path.read_bytes())
    content[500] ^= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"mine\.npz is not a readable \.npz file"):
        lgn.data.load(path)


def test_an_array_that_claims_terabytes_is_refused_before_it_is_read(tmp_path):
    header = b"{'descr': '|u1', 'fortran_order': False, 'shape': (1000000, 1000, 1000), }\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    path = tmp_path / "bomb.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("images.npy", content + bytes(1000))
    with pytest.raises(DataError, match=r"claim 1,000,000,000,000 bytes"):
        lgn.data.load(path)


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("no arrays here")
    with pytest.raises(DataError, match=r"notes\.txt is not a readable \.npz file"):
        lgn.data.load(path)
