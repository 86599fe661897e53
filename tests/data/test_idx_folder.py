"""A folder in MNIST's own format is a set; labels that train never shows are said; names cannot steer a terminal."""

import gzip

import numpy as np
import pytest
import torch

import lgn.data
from lgn.commands.data import run
from lgn.data import DataError
from lgn.data.idx import encode_idx

NAMES = ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte")


def written(folder, names=NAMES, labels=(0, 1, 2, 0, 1, 2), test_labels=(2, 1, 0, 0)):
    torch.manual_seed(0)
    tensors = [
        torch.randint(256, (6, 9, 8), dtype=torch.uint8),
        torch.tensor(labels, dtype=torch.uint8),
        torch.randint(256, (4, 9, 8), dtype=torch.uint8),
        torch.tensor(test_labels, dtype=torch.uint8),
    ]
    for name, tensor in zip(names, tensors, strict=True):
        content = encode_idx(tensor)
        (folder / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    return tensors


@pytest.mark.parametrize(
    "names",
    [
        NAMES,
        tuple(f"{name}.gz" for name in NAMES),
        tuple(name.replace("-idx", ".idx") for name in NAMES),
        (NAMES[0], f"{NAMES[1]}.gz", *NAMES[2:]),
    ],
    ids=["raw", "packed", "dotted", "mixed"],
)
def test_a_folder_of_idx_files_is_a_set(tmp_path, names):
    images, labels, test_images, test_labels = written(tmp_path, names)
    found = lgn.data.load(tmp_path)
    assert torch.equal(found.train.samples[:, 0], images)
    assert torch.equal(found.test.samples[:, 0], test_images)
    assert found.train.labels.tolist() == labels.tolist()
    assert found.test.labels.tolist() == test_labels.tolist()
    assert found.class_names == ("0", "1", "2")
    assert found.name == tmp_path.name
    assert lgn.data.load(tmp_path, image_size=4).image_shape == (1, 4, 4)


def test_a_folder_with_some_of_the_four_says_which_are_missing(tmp_path):
    written(tmp_path)
    (tmp_path / NAMES[3]).unlink()
    with pytest.raises(DataError, match="has IDX files but not all four: t10k-labels-idx1-ubyte missing"):
        lgn.data.load(tmp_path)


def test_a_folder_of_idx_files_with_one_class_is_refused(tmp_path):
    written(tmp_path, labels=(0,) * 6, test_labels=(0,) * 4)
    with pytest.raises(DataError, match="must have at least 2 classes, all labels are 0"):
        lgn.data.load(tmp_path)


def test_labels_that_train_never_shows_are_said_once(tmp_path):
    written(tmp_path, labels=(0, 1, 0, 1, 0, 1), test_labels=(0, 2, 1, 2))
    with pytest.warns(UserWarning, match=r"2 test images of .* have labels that no train image has \(2\)") as said:
        lgn.data.load(tmp_path)
    assert len(said) == 1
    written(tmp_path)
    lgn.data.load(tmp_path)  # and nothing where all are there: warnings are errors here


EVIL = "cat\x1b[31m\x07\nlgn: done"


def test_names_of_classes_cannot_steer_the_terminal(tmp_path, capsys):
    images = np.zeros((8, 6, 6), np.uint8)
    np.savez(tmp_path / "mine.npz", images=images, labels=np.arange(8) % 2, class_names=np.array([EVIL, "dog"]))
    assert run(["verify", str(tmp_path / "mine.npz")]) == 0
    shown = capsys.readouterr().out
    assert all(sign.isprintable() or sign == "\n" for sign in shown)
    assert r"2 classes: cat\x1b[31m\x07\nlgn: done, dog" in shown.splitlines()


def test_names_of_files_cannot_steer_it_in_an_error(tmp_path):
    for name in (EVIL.replace("\n", ""), "dog"):
        (tmp_path / "set" / name).mkdir(parents=True)
    with pytest.raises(DataError, match=r"cat\\x1b\[31m\\x07lgn: done is empty") as refused:
        lgn.data.load(tmp_path / "set")
    assert str(refused.value).isprintable()
