"""Estimates over runs, and verdicts that need five of them."""

from itertools import product

from studies.paper.claims.samples import combined
from studies.paper.claims.statement import MINIMUM_RUNS, all_of, difference, estimate, graded, of_parts


def test_one_run_has_no_interval_and_four_give_no_verdict() -> None:
    single = estimate([0.7])
    assert (single.low, single.high) == (None, None)
    assert str(single) == "0.7 over 1 run"
    four, five = ([1.0 + item / 100 for item in range(count)] for count in (MINIMUM_RUNS - 1, MINIMUM_RUNS))
    assert estimate(four).low > 0.9  # type: ignore[operator]
    assert estimate(four).above(0.9) is None
    assert estimate(five).above(0.9) is True
    assert estimate(five).above(1.2) is False
    assert estimate(five).below(1.2) is True
    assert difference(five, four).above(-1) is None
    assert difference(five, five).above(-1) is True
    assert str(difference(five, four)).endswith("over 5 and 4 runs")


def test_rounding_is_no_finding() -> None:
    assert estimate([0.15, 0.1 + 0.05, 0.15, 0.15, 0.15]).below(0.15) is False
    assert estimate([0.05] * 5).above(0.05) is False
    assert difference([0.1] * 5, [0.1] * 5).above(0) is False


def test_what_is_asked_at_once_fails_with_the_first_that_fails() -> None:
    for answers in product((True, False, None), repeat=3):
        expected = False if False in answers else None if None in answers else True
        assert all_of(answers) is expected
    assert all_of([]) is True


def test_parts_that_were_tested_decide_and_an_open_one_keeps_a_claim_from_holding() -> None:
    assert of_parts([True, True]) == "holds"
    assert of_parts([True, None]) == of_parts([True, False]) == "holds in part"
    assert of_parts([False, None]) == of_parts([False, False]) == "not seen"
    assert of_parts([None, None]) == "not tested"
    assert graded(True, True) == "holds"
    assert graded(True, False) == graded(True, None) == "holds in part"
    assert graded(False, False) == graded(False, None) == "not seen"
    assert graded(None, None) == "not tested"
    assert combined(["holds", "not tested"]) == combined(["holds", "not seen"]) == "holds in part"
    assert combined(["holds", "holds"]) == "holds"
    assert combined(["not seen", "not tested"]) == "not seen"
    assert combined(["not tested"]) == "not tested"
