"""The statistic is one half for any observer where T is a symmetry, and what theory says where it is not."""

import torch

from lgn.data import generator_for
from lgn.discovery.images.exact import turns_and_flips
from lgn.discovery.images.observer import network, smaller
from lgn.discovery.images.power import MIXED, pattern, planted_break, put
from lgn.discovery.images.statistic import Reading, answers, read
from lgn.discovery.images.verdict import LEVEL, is_open, judge

FAMILY = turns_and_flips(("turns", "flips"), 8, 8)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def logits_of(observer: torch.nn.Module, images: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return torch.stack([observer(FAMILY.show(images, version)) for version in range(8)], 1)


def test_an_orbit_in_which_each_element_is_as_likely_reads_exactly_one_half() -> None:
    # The mean over a whole orbit is the expectation under the invariant law: no sampling error is left.
    torch.manual_seed(0)
    observer = network((1, 8, 8), 8).eval()
    x = torch.randn(20, 1, 8, 8)
    for elements in ([0, 1, 2, 3], [0, 4], list(range(8))):
        orbit = torch.cat([FAMILY.act(x, element) for element in elements])
        said = logits_of(observer, orbit)
        for candidate in FAMILY.candidates:
            right, sure = answers(said, candidate).mean(1).tolist()
            if candidate.element in elements:
                assert abs(right - 0.5) < 1e-12, candidate.name
                assert abs(sure - 0.5) < 1e-12, candidate.name


def test_an_ideal_observer_of_a_break_of_known_size_reads_half_plus_margin() -> None:
    margin, count = 0.05, 20_000
    x = torch.randn(count, 1, 8, 8, generator=generator())
    broken = planted_break(FAMILY, tuple(range(8)), x, 2 * margin, seed=0)
    wanted = pattern(FAMILY, tuple(range(8)), x[:MIXED], generator_for("symmetry break", 0)).flatten()
    height = torch.stack([FAMILY.act(broken, element).flatten(1) @ wanted for element in range(8)], 1)  # (N, element)
    group = FAMILY.group
    assert group is not None
    # It knows the rule, and says of an image the version c for which c^-1 brings it upright.
    table, inverse = group.table, group.inverses
    said = torch.stack([height[:, table[inverse, h]] for h in range(8)], 1)  # (N, version, answer)
    upright = (height.argmax(1) == 0).double()
    for candidate in FAMILY.candidates:
        found = read(answers((said == said.amax(2, keepdim=True)).double(), candidate))
        assert abs(found.share - (0.5 + margin)) < 4 * found.error, candidate.name
    assert abs(float(upright.mean()) - (0.9 / 8 + 0.1)) < 0.01


def test_a_pattern_is_of_what_the_group_changes() -> None:
    x = torch.randn(50, 1, 8, 8, generator=generator()) + 3
    for elements in ((0, 4), (0, 1, 2, 3)):
        drawn = pattern(FAMILY, elements, x, generator())[None]
        mean = torch.stack([FAMILY.act(drawn, element) for element in elements]).mean(0)
        assert float(mean.abs().max()) < 1e-4 * float(drawn.abs().max())


def test_put_moves_each_image_by_its_own_element() -> None:
    x = torch.randn(3, 1, 8, 8, generator=generator())
    moved = put(FAMILY, x, torch.tensor([0, 1, 4]))
    torch.testing.assert_close(moved[1], torch.rot90(x[1], 1, (-2, -1)))
    torch.testing.assert_close(moved[2], x[2].flip(-1))


def test_near_duplicates_are_one_draw() -> None:
    said = torch.rand(2, 50, generator=generator()).double()
    once = read(said)
    copied = read(said.repeat(1, 3), torch.arange(50).repeat(3))
    assert (copied.share, copied.images) == (once.share, 50)
    assert abs(copied.error - once.error) < 1e-12


def test_a_sure_answer_weighs_more_than_a_guess() -> None:
    said = torch.zeros(2, 8, 8)
    said[0] += 9 * torch.eye(8)  # plainly right of the first image
    said[1] -= 0.1 * torch.eye(8)  # hardly wrong of the second
    found = read(answers(said, FAMILY.candidates[0]))
    assert found.share == 0.5
    assert found.sure > 0.7


def test_ties_are_halves() -> None:
    said = torch.zeros(10, 8, 8)
    assert all(bool((answers(said, each) == 0.5).all()) for each in FAMILY.candidates)


def test_averaging_over_squares_commutes_with_turns_and_flips_whatever_the_size() -> None:
    for size in (28, 29, 33, 50):
        x = torch.randn(2, 1, size, size, generator=generator())
        for element in range(8):
            torch.testing.assert_close(smaller(FAMILY.act(x, element)), FAMILY.act(smaller(x), element))


def reading(share: float, error: float, images: int) -> Reading:
    """Of an observer that is as sure as it is right."""
    return Reading(share, error, images, share, error)


def test_more_observers_look_where_one_does_not_decide() -> None:
    control = reading(0.536, 0.004, 10_000)
    assert is_open([reading(0.501, 0.02, 10_000)], control)  # not less than the control, and not beyond chance
    assert not is_open([reading(0.501, 0.004, 10_000)], control)
    assert not is_open([reading(0.53, 0.004, 10_000)], control)  # broken
    assert is_open([reading(0.53, 0.004, 10_000), reading(0.501, 0.02, 10_000)], control)


def test_verdicts() -> None:
    control = reading(0.54, 0.004, 4000)

    def word(share: float, error: float = 0.004, control: Reading | None = control) -> str:
        found = reading(share, error, 4000)
        return judge(found, found.p_value(), control, 0.05, 10_000).word

    assert word(0.501) == "kept"
    assert word(0.80) == "broken"
    assert word(0.501, control=None) == "undecided"  # no proof of power, no "kept"
    assert word(0.501, error=0.03) == "undecided"
    assert word(0.501, control=reading(0.505, 0.004, 4000)) == "undecided"  # the break was not seen
    assert word(0.44, error=0.02, control=reading(0.52, 0.02, 300)) == "undecided"  # luck is no power
    assert word(0.535) == "broken"
    assert word(0.52) == "broken"  # told beyond chance, and perhaps half as well as the control would be
    trace = judge(reading(0.512, 0.004, 4000), LEVEL / 2, reading(0.545, 0.004, 4000), 0.05, 10_000)
    assert (trace.word, trace.trace) == ("kept", True)
    assert judge(reading(0.5, 0.02, 100), 0.5, reading(0.54, 0.02, 100), 0.05, 300).needed > 300
