"""The records of a data set, and the order of an epoch."""

from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lgn.data import DataError, DataSet, Split, checksum, epoch_order

IMAGES = torch.zeros(4, 1, 2, 3, dtype=torch.uint8)


def data_set(samples: torch.Tensor, labels: torch.Tensor | None, names: tuple[str, ...], kind: Any) -> DataSet:
    split = Split(samples, labels)
    return DataSet(name="mine", kind=kind, train=split, test=split, class_names=names)


def test_a_checksum_depends_on_every_pixel_label_and_shape() -> None:
    labels = torch.tensor([0, 1, 0, 1])
    other_pixel, other_label = IMAGES.clone(), labels.clone()
    other_pixel[3, 0, 1, 2] = 1
    other_label[3] = 0
    sums = {
        data_set(IMAGES, labels, ("a", "b"), "images").checksum(),
        data_set(other_pixel, labels, ("a", "b"), "images").checksum(),
        data_set(IMAGES, other_label, ("a", "b"), "images").checksum(),
        data_set(IMAGES, None, (), "images").checksum(),
    }
    assert len(sums) == 4
    assert checksum(IMAGES) != checksum(IMAGES.reshape(4, 1, 3, 2))
    assert checksum(IMAGES) == checksum(IMAGES.transpose(2, 3).contiguous().transpose(2, 3))


@pytest.mark.parametrize(
    ("samples", "labels", "message"),
    [
        (torch.zeros(2, 1, 3, 3), None, "samples .*float32"),
        (torch.zeros(2, 3, 3, dtype=torch.uint8), None, "samples .*uint8"),
        (torch.zeros(2), None, "samples .*axes"),
        (IMAGES[:0], None, "samples .*empty"),
        (IMAGES, torch.tensor([0, 1, 1]), "labels .*4 .*got 3"),
        (IMAGES, torch.tensor([0.0, 1.0, 0.0, 1.0]), "labels .*int64"),
    ],
)
def test_an_inconsistent_split_is_refused(samples: torch.Tensor, labels: torch.Tensor | None, message: str) -> None:
    with pytest.raises(DataError, match=message):
        Split(samples, labels)


def test_an_inconsistent_data_set_is_refused() -> None:
    with pytest.raises(DataError, match=r"labels .*0\.\.1, got 0\.\.2"):
        data_set(IMAGES, torch.tensor([0, 2, 1, 1]), ("a", "b"), "images")
    with pytest.raises(DataError, match="labels and class names"):
        data_set(IMAGES, None, ("a", "b"), "images")
    with pytest.raises(DataError, match="'signals'"):
        data_set(IMAGES, None, (), "signals")
    with pytest.raises(DataError, match="shape"):
        DataSet(name="mine", kind="images", train=Split(IMAGES), test=Split(IMAGES[..., :2]))


@given(count=st.integers(1, 300), seed=st.integers(-(2**31), 2**40), epoch=st.integers(0, 10_000))
def test_an_order_is_a_permutation_that_depends_on_seed_and_epoch_only(count: int, seed: int, epoch: int) -> None:
    state = torch.get_rng_state()
    order = epoch_order(count, seed, epoch)
    assert sorted(order.tolist()) == list(range(count))
    assert torch.equal(order, epoch_order(count, seed, epoch))
    assert torch.equal(state, torch.get_rng_state())


def test_different_seeds_and_epochs_have_different_orders() -> None:
    orders = {tuple(epoch_order(50, seed, epoch).tolist()) for seed in range(12) for epoch in range(12)}
    assert len(orders) == 144
