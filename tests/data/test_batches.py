import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lgn.data import DataError, batches, epoch_order, fit_preprocessing

IMAGES = torch.randint(256, (23, 1, 4, 4), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
LABELS = torch.arange(23)


@given(count=st.integers(1, 300), seed=st.integers(-(2**31), 2**40), epoch=st.integers(0, 10_000))
def test_an_order_is_a_permutation_and_a_function_of_seed_and_epoch(count, seed, epoch):
    order = epoch_order(count, seed, epoch)
    assert sorted(order.tolist()) == list(range(count))
    torch.manual_seed(0)
    torch.rand(3)
    assert torch.equal(order, epoch_order(count, seed, epoch))


def test_an_order_leaves_the_global_generator_alone():
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    epoch_order(100, 0, 0)
    assert torch.equal(torch.rand(3), expected)


def test_no_two_of_seed_and_epoch_share_an_order():
    orders = {tuple(epoch_order(50, seed, epoch).tolist()) for seed in range(12) for epoch in range(12)}
    assert len(orders) == 144


@pytest.mark.parametrize("start", range(6))
def test_an_epoch_goes_on_in_the_middle(start):
    whole = list(batches(IMAGES, LABELS, 5, seed=1, epoch=2))
    rest = list(batches(IMAGES, LABELS, 5, seed=1, epoch=2, start=start))
    assert len(whole) == 5
    assert len(rest) == max(5 - start, 0)
    for (images, labels), (again, labels_again) in zip(whole[start:], rest, strict=True):
        assert torch.equal(images, again)
        assert torch.equal(labels, labels_again)


def test_every_image_comes_once_with_its_label():
    drawn = list(batches(IMAGES, LABELS, 5, seed=0, epoch=0))
    labels = torch.cat([labels for _, labels in drawn])
    assert labels.tolist() == epoch_order(23, 0, 0).tolist()
    assert torch.equal(torch.cat([images for images, _ in drawn]), IMAGES[labels].float() / 255)
    assert [len(images) for images, _ in drawn] == [5, 5, 5, 5, 3]


def test_without_shuffling_the_order_is_the_given_one():
    drawn = list(batches(IMAGES, LABELS, 10, seed=0, epoch=3, shuffle=False))
    assert torch.cat([labels for _, labels in drawn]).tolist() == list(range(23))


@pytest.mark.parametrize("kind", ["standardise", "zca", "none"])
def test_preparing_first_gives_the_same_batches(kind):
    fitted = fit_preprocessing(kind, IMAGES)
    options = {"batch_size": 5, "seed": 0, "epoch": 0, "preprocessing": fitted}
    pairs = zip(batches(IMAGES, None, **options), batches(fitted.prepare(IMAGES), None, **options), strict=True)
    for (fresh, none), (prepared, _) in pairs:
        assert none is None
        assert fresh.dtype == prepared.dtype == torch.float32
        assert torch.allclose(fresh, prepared, atol=1e-5)


@pytest.mark.parametrize(("size", "start"), [(0, 0), (-1, 0), (4, -1)])
def test_impossible_batches_are_refused_at_once(size, start):
    with pytest.raises(DataError, match="batch_size must be at least 1 and start at least 0"):
        batches(IMAGES, LABELS, size, 0, 0, start=start)


def test_labels_that_do_not_match_are_refused():
    with pytest.raises(DataError, match="23 images and 22 labels"):
        batches(IMAGES, LABELS[:-1], 4, 0, 0)
