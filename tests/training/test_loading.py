"""The images of a run: disjoint parts, statistics of the training part, and batches."""

from pathlib import Path

import numpy as np
import pytest
import torch
from training.small import small

import lgn.data
from lgn.training import load_images


def test_parts_are_disjoint_and_have_equal_classes() -> None:
    digits = lgn.data.load("digits")
    images = load_images(small(validation=0.2, train_images=300))
    assert {part: len(x) for part, (x, _) in images.parts.items()} == {"train": 300, "validation": 1000, "test": 1000}
    assert images.facts.counts == {"train": 300, "validation": 1000, "test": 1000}
    for part in ("train", "validation"):
        labels = images.parts[part][1]
        assert labels is not None
        assert len(set(torch.bincount(labels).tolist())) == 1
    seen = {bytes(x.numpy().tobytes()) for x in images.parts["train"][0]}
    held_out = {bytes(x.numpy().tobytes()) for x in images.parts["validation"][0]}
    everything = {bytes(x.numpy().tobytes()) for x in digits.train.samples}
    assert not seen & held_out
    assert seen | held_out <= everything
    assert torch.equal(images.parts["test"][0], digits.test.samples)


def test_the_validation_part_does_not_depend_on_the_seed_of_training() -> None:
    one, other = (load_images(small(validation=0.2, seed=seed)) for seed in (0, 1))
    assert torch.equal(one.parts["validation"][0], other.parts["validation"][0])
    assert not torch.equal(
        one.parts["validation"][0], load_images(small(validation=0.2, data_seed=1)).parts["validation"][0]
    )


@pytest.mark.parametrize("kind", ["standardise", "zca", "none"])
def test_statistics_are_those_of_the_training_part_alone(kind: str) -> None:
    images = load_images(small(validation=0.5, preprocess=kind))
    x, labels = images.batch("train", torch.arange(200), torch.device("cpu"))
    x = x.double()
    assert labels is not None
    if kind == "none":
        assert x.min() >= 0
        assert x.max() == 1
    elif kind == "standardise":
        assert x.mean().abs() < 1e-5
        assert abs(float(x.std(correction=0)) - 1) < 1e-5
    else:
        assert x.mean(0).abs().max() < 1e-4
    assert images.facts.preprocessing.checksum == lgn.data.checksum(
        images.parts["train"][0] if kind != "zca" else load_images(small(validation=0.5)).parts["train"][0]
    )


def test_the_task_follows_the_labels(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 256, (20, 8, 8), dtype=np.uint8)
    np.savez(tmp_path / "unlabelled.npz", images=pixels)
    unlabelled = {"data": str(tmp_path / "unlabelled.npz"), "train_images": None}
    assert load_images(small(task="auto", **unlabelled)).facts.task == "reconstruct"
    assert load_images(small(task="auto")).facts.task == "classify"
    with pytest.raises(ValueError, match="task must"):
        load_images(small(task="classify", **unlabelled))


@pytest.mark.parametrize("count", [1, 9, 5000, 9999])
def test_a_wrong_number_of_training_images_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match=rf"train_images .*got {count}"):
        load_images(small(train_images=count))


@pytest.mark.parametrize("count", [10, 15, 197, 4999])
def test_the_given_number_of_training_images_is_used(count: int) -> None:
    images = load_images(small(train_images=count))
    assert images.facts.counts["train"] == len(images.parts["train"][0]) == count
