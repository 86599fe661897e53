"""Arrays in `.npz` files."""

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import lgn.data
from lgn.data import DataError
from lgn.data.pixels import as_bytes

IMAGES = np.arange(20 * 3 * 4 * 5).reshape(20, 3, 4, 5).astype(np.uint8)
LABELS = np.arange(20) % 2


def saved(directory: Path, **arrays: Any) -> Path:
    path = directory / "mine.npz"
    np.savez(path, **arrays)
    return path


def both_parts(found: lgn.data.DataSet) -> torch.Tensor:
    return torch.cat([found.train.samples, found.test.samples])


def test_images_keep_their_labels(tmp_path: Path) -> None:
    found = lgn.data.load(saved(tmp_path, images=IMAGES, labels=LABELS), seed=3)
    assert found.class_names == ("0", "1")
    pairs = {}
    for split, count in ((found.train, 8), (found.test, 2)):
        assert split.labels is not None
        assert split.labels.bincount().tolist() == [count, count]
        pairs |= {image.numpy().tobytes(): int(label) for image, label in zip(split.samples, split.labels, strict=True)}
    assert pairs == {image.tobytes(): int(label) for image, label in zip(IMAGES, LABELS, strict=True)}


@pytest.mark.parametrize("array", [IMAGES, IMAGES.transpose(0, 2, 3, 1), IMAGES[:, 0]], ids=["NCHW", "NHWC", "NHW"])
def test_channels_may_be_first_last_or_missing(tmp_path: Path, array: np.ndarray) -> None:
    found = lgn.data.load(saved(tmp_path, images=array))
    expected = torch.from_numpy(IMAGES[:, :1] if array.ndim == 3 else IMAGES)
    assert found.image_shape == expected.shape[1:]
    assert sorted(both_parts(found).flatten(1).tolist()) == sorted(expected.flatten(1).tolist())


@pytest.mark.parametrize(
    ("row", "dtype", "expected"),
    [
        ([0.0, 0.5, 1.0], float, [0, 128, 255]),
        ([0.0, 0.5, 254.6], float, [0, 0, 255]),
        ([0, 1, 255], np.int32, [0, 1, 255]),
        ([True, False, True], bool, [255, 0, 255]),
    ],
)
def test_numbers_become_bytes(row: list[Any], dtype: Any, expected: list[int]) -> None:
    array = np.tile(np.array(row, dtype), (4, 1, 2, 1))
    for piece in (2**20, 7):
        images, _ = as_bytes({"images": array}, piece=piece)
        assert images["images"].tolist() == [[[expected] * 2]] * 4


def test_a_test_part_is_kept_and_shares_the_scale(tmp_path: Path) -> None:
    labels = {"labels": np.array(["b", "a", "b", "a"]), "test_labels": np.array(["a", "a"])}
    arrays = {"images": np.full((4, 2, 2), 200.0), "test_images": np.full((2, 2, 2), 1.0)}
    found = lgn.data.load(saved(tmp_path, **arrays, **labels))
    assert found.class_names == ("a", "b")
    assert found.train.labels is not None
    assert found.train.labels.tolist() == [1, 0, 1, 0]
    assert found.test.samples.unique().tolist() == [1]


def test_class_names_may_be_given(tmp_path: Path) -> None:
    names = np.array(["cat", "dog", "eel"])
    found = lgn.data.load(saved(tmp_path, images=IMAGES, labels=LABELS, class_names=names))
    assert found.class_names == ("cat", "dog", "eel")


@pytest.mark.parametrize(
    ("kind", "shape", "dtype"),
    [
        ("signals", (30,), torch.float32),
        ("signals", (2, 30), torch.float32),
        ("volumes", (4, 5, 6), torch.float32),
        ("points", (7, 3), torch.float64),
        ("tables", (5,), torch.float64),
    ],
)
def test_other_kinds_are_kept_as_floats(tmp_path: Path, kind: str, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    values = np.random.default_rng(0).normal(size=(20, *shape))
    found = lgn.data.load(saved(tmp_path, **{kind: values, "labels": LABELS}))
    assert found.kind == kind
    assert (len(found.train), len(found.test)) == (16, 4)
    assert both_parts(found).dtype == dtype
    known = {tuple(sample.flatten().tolist()) for sample in torch.from_numpy(values).to(dtype)}
    assert {tuple(sample.flatten().tolist()) for sample in both_parts(found)} == known


def test_a_numeric_target(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(20, 3))
    found = lgn.data.load(saved(tmp_path, tables=values, target=values.sum(1)))
    for split in (found.train, found.test):
        assert split.numbers is not None
        torch.testing.assert_close(split.numbers, split.samples.sum(1))


GRID = np.zeros((4, 4))
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"pictures": IMAGES}, "images, signals"),
    ({"signals": GRID, "images": IMAGES}, "images and signals"),
    ({"images": IMAGES, "labels": LABELS[:-1]}, "labels .*20 .*19"),
    ({"images": IMAGES, "labels": LABELS - 1}, "labels .*got -1"),
    ({"images": IMAGES, "labels": LABELS + 1, "class_names": np.array(["a", "b"])}, r"labels .*0\.\.1, got"),
    ({"images": IMAGES, "labels": LABELS / 2}, "labels .*float64"),
    ({"images": IMAGES, "labels": LABELS * 0}, "labels .*2 classes"),
    ({"images": np.full((4, 2, 2), np.nan)}, "images .*nan"),
    ({"images": np.array([[[0.0, np.inf]]] * 4)}, "images .*inf"),
    ({"images": np.full((4, 2, 2), -0.5)}, r"images .*got -0\.5"),
    ({"images": np.full((4, 2, 2), 256)}, "images .*256"),
    ({"images": np.zeros((4, 2, 2), complex)}, "images .*complex"),
    ({"images": np.zeros((4, 2, 2, 2))}, r"images .*\(4, 2, 2, 2\)"),
    ({"images": np.zeros((0, 2, 2))}, r"images .*\(0, 1, 2, 2\)"),
    ({"images": np.array([{}, []], dtype=object)}, "Object"),
    ({"images": IMAGES, "test_labels": LABELS}, "labels"),
    ({"images": IMAGES, "labels": LABELS, "test_images": IMAGES}, "labels and test_labels"),
    ({"tables": GRID, "labels": LABELS[:4], "target": np.zeros(4)}, "labels, got labels and target"),
    ({"images": IMAGES[:1]}, "2 samples"),
    ({"signals": np.zeros((3, 2, 4, 5))}, r"signals .*\(3, 2, 4, 5\)"),
    ({"volumes": GRID}, r"volumes .*\(4, 4\)"),
    ({"signals": np.zeros((0, 4))}, r"signals .*\(0, 4\)"),
    ({"signals": np.full((4, 4), np.nan)}, "signals .*NaN"),
    ({"signals": np.full((4, 4), 1e300)}, "signals .*infinite"),
    ({"signals": np.array([["a"]])}, "signals .*numbers"),
]


@pytest.mark.parametrize(("arrays", "message"), REFUSED)
def test_errors_name_the_file_and_the_array(tmp_path: Path, arrays: dict[str, Any], message: str) -> None:
    path = saved(tmp_path, **arrays)
    with pytest.raises(DataError, match=message) as caught:
        lgn.data.load(path)
    assert str(path) in str(caught.value)


def claiming(path: Path, **shapes: tuple[int, ...]) -> Path:
    """A small archive whose arrays claim to be large."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, shape in shapes.items():
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array_header_1_0(file, {"descr": "|u1", "fortran_order": False, "shape": shape})
                file.write(bytes(1000))
    return path


@pytest.mark.parametrize(
    "shapes",
    [
        {"images": (10**6, 10**3, 10**3)},
        {"images": (2**10, 2**10, 2**10), "test_images": (2**10 + 1, 2**10, 2**10)},
    ],
    ids=["one", "two together"],
)
def test_arrays_that_claim_gigabytes_are_refused(tmp_path: Path, shapes: dict[str, tuple[int, ...]]) -> None:
    with pytest.raises(DataError, match="large.npz"):
        lgn.data.load(claiming(tmp_path / "large.npz", **shapes))


def test_arrays_of_too_many_bytes_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = saved(tmp_path, images=IMAGES)
    monkeypatch.setattr("lgn.data.reading.MAX_BYTES", 100)
    with pytest.raises(DataError, match="allowed are 100"):
        lgn.data.load(path)


def test_options_for_other_sources_are_refused(tmp_path: Path) -> None:
    path = saved(tmp_path, signals=np.zeros((20, 9)))
    for options, message in (
        ({"image_size": 8}, "must hold images, got signals"),
        ({"window": 3}, "window .*got 3"),
        ({"kind": "images"}, "kind .*'images'"),
        ({"target": "a"}, "target .*mine.npz"),
    ):
        with pytest.raises(DataError, match=message):
            lgn.data.load(path, **options)  # type: ignore[arg-type]
