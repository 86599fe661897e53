"""The accuracy of an observer: one half for a symmetry, one half plus the margin for a planted break."""

import torch

from lgn.data import generator_for
from lgn.discovery.observers import decide, mean_accuracy, needed_sizes, network, shrink
from lgn.discovery.observers.accuracy import Accuracy, correctness
from lgn.discovery.observers.planted_break import MIXED, act_on_each, pattern, planted_break
from lgn.discovery.observers.verdict import is_open
from lgn.stats import LEVEL
from lgn.transforms import families_of

(FAMILY,) = families_of(("turns", "flips"), "images", torch.zeros(1, 1, 8, 8))


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def logits_of(observer: torch.nn.Module, images: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return torch.stack([observer(FAMILY.show(images, version)) for version in range(8)], 1)


def test_the_accuracy_on_a_whole_orbit_is_exactly_one_half() -> None:
    # The mean over a whole orbit is the expectation under the invariant distribution, without a sampling error.
    torch.manual_seed(0)
    observer = network((1, 8, 8), 8).eval()
    x = torch.randn(20, 1, 8, 8)
    for elements in ([0, 1, 2, 3], [0, 4], list(range(8))):
        orbit = torch.cat([FAMILY.act(x, element) for element in elements])
        outputs = logits_of(observer, orbit)
        for candidate in FAMILY.transformations:
            accuracy, confidence = correctness(outputs, FAMILY.pairs(candidate)).mean(1).tolist()
            if candidate.element in elements:
                assert abs(accuracy - 0.5) < 1e-12, candidate.name
                assert abs(confidence - 0.5) < 1e-12, candidate.name


def test_the_accuracy_of_an_ideal_observer_of_a_planted_break_is_half_plus_margin() -> None:
    margin, count = 0.05, 20_000
    x = torch.randn(count, 1, 8, 8, generator=generator())
    broken = planted_break(FAMILY, tuple(range(8)), x, 2 * margin, seed=0)
    direction = pattern(FAMILY, tuple(range(8)), x[:MIXED], generator_for("symmetry break", 0)).flatten()
    scores = torch.stack(
        [FAMILY.act(broken, element).flatten(1) @ direction for element in range(8)], 1
    )  # (N, element)
    group = FAMILY.group
    assert group is not None
    # The ideal observer knows the rule: it answers the version c for which c^-1 brings an image upright.
    table, inverse = group.table, group.inverses
    outputs = torch.stack([scores[:, table[inverse, h]] for h in range(8)], 1)  # (N, version, answer)
    upright = (scores.argmax(1) == 0).double()
    for candidate in FAMILY.transformations:
        found = mean_accuracy(correctness((outputs == outputs.amax(2, keepdim=True)).double(), FAMILY.pairs(candidate)))
        assert abs(found.value - (0.5 + margin)) < 4 * found.error, candidate.name
    assert abs(float(upright.mean()) - (0.9 / 8 + 0.1)) < 0.01


def test_a_pattern_has_mean_zero_over_the_group() -> None:
    x = torch.randn(50, 1, 8, 8, generator=generator()) + 3
    for elements in ((0, 4), (0, 1, 2, 3)):
        made = pattern(FAMILY, elements, x, generator())[None]
        mean = torch.stack([FAMILY.act(made, element) for element in elements]).mean(0)
        assert float(mean.abs().max()) < 1e-4 * float(made.abs().max())


def test_samples_are_moved_by_their_own_elements() -> None:
    x = torch.randn(3, 1, 8, 8, generator=generator())
    moved = act_on_each(FAMILY, x, torch.tensor([0, 1, 4]))
    torch.testing.assert_close(moved[1], torch.rot90(x[1], 1, (-2, -1)))
    torch.testing.assert_close(moved[2], x[2].flip(-1))


def test_near_duplicates_are_one_draw() -> None:
    outputs = torch.rand(2, 50, generator=generator()).double()
    once = mean_accuracy(outputs)
    copied = mean_accuracy(outputs.repeat(1, 3), torch.arange(50).repeat(3))
    assert (copied.value, copied.count) == (once.value, 50)
    assert abs(copied.error - once.error) < 1e-12


def test_a_confident_answer_weighs_more_than_a_guess() -> None:
    outputs = torch.zeros(2, 8, 8)
    outputs[0] += 9 * torch.eye(8)  # confident and right about the first image
    outputs[1] -= 0.1 * torch.eye(8)  # a wrong guess about the second image
    found = mean_accuracy(correctness(outputs, FAMILY.pairs(FAMILY.transformations[0])))
    assert found.value == 0.5
    assert found.confidence > 0.7


def test_ties_are_halves() -> None:
    outputs = torch.zeros(10, 8, 8)
    assert all(bool((correctness(outputs, FAMILY.pairs(one)) == 0.5).all()) for one in FAMILY.transformations)


def test_shrinking_commutes_with_turns_and_flips_for_all_sizes() -> None:
    for size in (28, 29, 33, 50):
        x = torch.randn(2, 1, size, size, generator=generator())
        for element in range(8):
            torch.testing.assert_close(shrink(FAMILY.act(x, element)), FAMILY.act(shrink(x), element))


def accuracy(value: float, error: float, count: int) -> Accuracy:
    """An accuracy that equals the confidence."""
    return Accuracy(value, error, count, value, error)


def test_cases_that_the_first_observers_do_not_decide_are_open() -> None:
    control = accuracy(0.536, 0.004, 10_000)
    assert is_open([accuracy(0.501, 0.02, 10_000)], control)  # neither below the control nor above chance
    assert not is_open([accuracy(0.501, 0.004, 10_000)], control)
    assert not is_open([accuracy(0.53, 0.004, 10_000)], control)  # broken
    assert is_open([accuracy(0.53, 0.004, 10_000), accuracy(0.501, 0.02, 10_000)], control)


def test_verdicts() -> None:
    control = accuracy(0.54, 0.004, 4000)

    def verdict(share: float, error: float = 0.004, control: Accuracy | None = control) -> str:
        found = accuracy(share, error, 4000)
        return decide(found, found.p_value(), control, 0.05)

    assert verdict(0.501) == "kept"
    assert verdict(0.80) == "broken"
    assert verdict(0.501, control=None) == "undecided"  # without proof of power nothing is kept
    assert verdict(0.501, error=0.03) == "undecided"
    assert verdict(0.501, control=accuracy(0.505, 0.004, 4000)) == "undecided"  # the break was not seen
    assert verdict(0.44, error=0.02, control=accuracy(0.52, 0.02, 300)) == "undecided"  # luck is no power
    assert verdict(0.535) == "broken"
    assert verdict(0.52) == "broken"  # above chance, and perhaps half of the control
    assert decide(accuracy(0.512, 0.004, 4000), LEVEL / 2, accuracy(0.545, 0.004, 4000), 0.05) == "kept"


def test_the_needed_range_contains_the_size_at_which_the_gap_decides() -> None:
    control, found = accuracy(0.54, 0.01, 1000), accuracy(0.51, 0.01, 1000)
    needed = needed_sizes(found, control, 1000)
    assert needed is not None
    gap = (0.54 - 0.51) / 0.01 / 2**0.5  # standard errors, which must be 4
    assert 1500 <= needed[0] < 1000 * (4 / gap) ** 2 < needed[1]
    assert needed_sizes(found, None, 1000) is None
    assert needed_sizes(found, accuracy(0.505, 0.01, 1000), 1000) is None  # the break was not seen
