"""Kept, broken or undecided: the verdict on a transformation from what observers read."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lgn.discovery.observers.reading import Reading
from lgn.stats import LEVEL, normal_quantile

#: A transformation is kept if the best observer would have an accuracy below 1/2 + margin.
MARGIN = 0.05
#: A break may be seen less well than the planted one, down to this share, and must be within the margin still.
#: (Digits that are turned, and flipped except for a fifth, break the flips at .57 or more and read .52 to .537, where a
#: planted break of .55 reads .537 to .549.)
SEEN = 0.5
#: Standard errors between a transformation and the planted break with which 98 of 100 cases are decided.
DECIDES = 4.0


@dataclass(frozen=True)
class Decision:
    """The verdict on a transformation.

    trace: whether a kept one is told apart more often than chance.  needed: a range of sample sizes that would decide,
    None if the verdict is decided or nothing can be estimated.
    """

    verdict: Literal["kept", "broken", "undecided"]
    trace: bool = False
    needed: tuple[int, int] | None = None


def decide(reading: Reading, p_value: float, control: Reading | None, margin: float, count: int) -> Decision:
    """The verdict from a corrected p-value and the reading of a planted break; `count` is the number of samples.

    Kept: told apart with less confidence than a break of the margin (Note [Planted break]), one-sided at LEVEL, and
    with an interval below 1/2 + margin; if it is told apart beyond chance, with an interval below SEEN of the reading
    of that break. Broken: told apart beyond chance, and not kept.
    """
    significant = p_value <= LEVEL
    if control is not None and below(reading, control):
        most = half(control) if significant else 0.5 + margin
        if reading.interval[1] < most:
            return Decision("kept", trace=significant)
    if significant:
        return Decision("broken")
    return Decision("undecided", needed=_needed(reading, control, count))


def below(reading: Reading, control: Reading) -> bool:
    """Whether it is told apart with less confidence than the control, beyond the errors of both, and less than SEEN as
    often.

    A reading below one half is luck, and counts as one half: luck must not replace a break that was not seen.
    """
    return reading.share < half(control) and _gap(reading, control) > normal_quantile(1 - LEVEL)


def is_open(readings: Sequence[Reading], control: Reading) -> bool:
    """Whether some transformation is neither below the control nor clearly told apart more often than chance."""
    return any(not below(one, control) and one.p_value() > LEVEL / len(readings) for one in readings)


def half(control: Reading) -> float:
    """The reading of a break of the margin that is seen SEEN as well as the planted one."""
    return 0.5 + SEEN * (control.share - 0.5)


def _gap(reading: Reading, control: Reading) -> float:
    """The difference of the confidences in standard errors of both."""
    error = math.hypot(reading.confidence_error, control.confidence_error)
    return (control.confidence - max(reading.confidence, 0.5)) / error


def _needed(reading: Reading, control: Reading | None, count: int) -> tuple[int, int] | None:
    """Errors shrink with the root of the number of samples; the gap itself is known up to one standard error."""
    if control is None or control.interval[0] <= 0.5:
        return None  # the observer has not learned to see the planted break
    gap = _gap(reading, control)
    low, high = ((DECIDES / max(gap + error, DECIDES / 10)) ** 2 for error in (1, -1))
    return _rounded(count * min(max(low, 1.5), 100)), _rounded(count * min(max(high, 1.5), 100))


def _rounded(count: float) -> int:
    """Up, to two digits."""
    scale = 10 ** max(math.floor(math.log10(count)) - 1, 0)
    return math.ceil(count / scale) * scale
