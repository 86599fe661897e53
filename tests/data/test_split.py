import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from lgn.data import DataError
from lgn.data.splitting import choose_indices, split_indices


@given(
    counts=st.lists(st.integers(2, 40), min_size=1, max_size=6),
    fraction=st.floats(0.05, 0.95),
    seed=st.integers(0, 2**40),
)
def test_every_image_is_on_one_side_and_every_class_in_proportion(
    counts: list[int], fraction: float, seed: int
) -> None:
    labels = torch.cat([torch.full((count,), number) for number, count in enumerate(counts)])
    train, test = split_indices(labels, fraction, seed)
    assert sorted([*train.tolist(), *test.tolist()]) == list(range(len(labels)))
    for number, count in enumerate(counts):
        in_test = int((labels[test] == number).sum())
        assert 1 <= in_test <= count - 1
        assert abs(in_test - fraction * count) <= 1


def test_every_image_of_a_class_can_fall_on_either_side() -> None:
    labels = torch.arange(40) % 2
    often = torch.zeros(40)
    for seed in range(200):
        often[split_indices(labels, 0.25, seed)[1]] += 1
    # Binomial(200, 1/4) has mean 50 and deviation 6.1; five of them bound all forty counts.
    assert int(often.min()) > 19
    assert int(often.max()) < 81


@pytest.mark.parametrize("fraction", [0.0, 1.0, -0.1, float("nan")])
def test_a_fraction_outside_zero_and_one_is_refused(fraction: float) -> None:
    with pytest.raises(DataError, match=r"test_fraction .*between 0 and 1"):
        split_indices(torch.tensor([0, 0, 1, 1]), fraction, 0)


@given(counts=st.lists(st.integers(1, 40), min_size=1, max_size=6), share=st.floats(0, 1), seed=st.integers(0, 2**40))
def test_the_wanted_number_is_chosen_with_every_class_in_proportion(counts: list[int], share: float, seed: int) -> None:
    labels = torch.cat([torch.full((count,), number) for number, count in enumerate(counts)])
    wanted = len(counts) + int(share * (len(labels) - 1 - len(counts)))
    if not len(counts) <= wanted < len(labels):
        with pytest.raises(DataError, match="train_images must be from"):
            choose_indices(labels, wanted, seed)
        return
    chosen = choose_indices(labels, wanted, seed)
    assert len(chosen) == len(set(chosen.tolist())) == wanted
    fair = torch.tensor(counts) * wanted / len(labels)
    each = torch.bincount(labels[chosen], minlength=len(counts))
    assert int(each.min()) >= 1
    if float(fair.min()) >= 1:  # no class is so rare that it must be given more than its share
        assert float((each - fair).abs().max()) < 1 + 1e-4


def test_a_choice_of_whole_shares_equals_a_split() -> None:
    """Stored runs with such numbers of images used a split, and continue with the same images."""
    labels = torch.arange(400) % 10
    for wanted in (10, 50, 200, 390):
        assert torch.equal(choose_indices(labels, wanted, 3), split_indices(labels, 1 - wanted / 400, 3)[0])
