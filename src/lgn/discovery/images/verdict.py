"""Kept, broken or undecided: the verdict on each candidate, with Holm's correction over all that were asked."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from lgn.discovery.images.statistic import Reading
from lgn.stats import normal_quantile

Word = Literal["kept", "broken", "undecided"]
#: "Broken" is wrong about a symmetry with at most this probability, over all candidates of a call together; "kept" is
#: wrong about a break of the margin that is seen like the control with this one.
LEVEL = 0.01
MARGIN = 0.05
#: A break may be seen less well than the one that was made, down to this share, and must be within the margin still.
#: (Digits that are turned, and flipped but for a fifth, break the flips at .57 or more and read .52 to .537, where a
#: break of .55 by a pattern reads .537 to .549.)
SEEN = 0.5


@dataclass(frozen=True)
class Verdict:
    """What is said of a candidate.

    trace: whether a kept one is told apart more often than chance. needed: about how many images would decide; 0 where
    it is decided, and where nobody can say.
    """

    word: Word
    trace: bool = False
    needed: int = 0


def judge(found: Reading, adjusted_p: float, control: Reading | None, margin: float, images: int) -> Verdict:
    """One candidate. `images` is how many there are in all, to say how many it would take.

    Kept: told apart less surely than a break of the margin (Note [A break of known size]), one-sided at LEVEL, with an
    interval below 1/2 + margin; if told beyond chance all the same, with one below SEEN of what was seen of that break.
    Broken: told apart beyond chance, and not kept.
    """
    significant = adjusted_p <= LEVEL
    if control is not None and below(found, control):
        most = half(control) if significant else 0.5 + margin
        if found.interval[1] < most:
            return Verdict("kept", trace=significant)
    if significant:
        return Verdict("broken")
    return Verdict("undecided", needed=_needed(found, control, images))


def below(found: Reading, control: Reading) -> bool:
    """Whether it is told apart less surely than the control, beyond the errors of both, and less than SEEN as often.

    See Note [How sure]. A reading below one half is luck, and counts as one half: no luck stands in for a break that
    was not seen.
    """
    return found.share < half(control) and _gap(found, control) > normal_quantile(1 - LEVEL)


def is_open(found: Sequence[Reading], control: Reading) -> bool:
    """Whether some candidate is neither told apart less surely than the control, nor clearly more often than chance."""
    return any(not below(each, control) and each.p_value() > LEVEL / len(found) for each in found)


def half(control: Reading) -> float:
    """What a break of the margin reads if it is seen SEEN as well as the one that was made."""
    return 0.5 + SEEN * (control.share - 0.5)


def _gap(found: Reading, control: Reading) -> float:
    """In standard errors of both."""
    return (control.sure - max(found.sure, 0.5)) / math.hypot(found.sure_error, control.sure_error)


def _needed(found: Reading, control: Reading | None, images: int) -> int:
    """Intervals shrink with the root of the number; where the control was not seen, learning is what lacks."""
    if control is None or control.interval[0] <= 0.5:
        return _rounded(4 * images)
    gap = _gap(found, control)
    times = (4 / gap) ** 2 if gap else math.inf  # where 98 of 100 decide
    return _rounded(images * min(max(times, 1.5), 100))


def _rounded(images: float) -> int:
    """Up, to two digits."""
    scale = 10 ** max(math.floor(math.log10(images)) - 1, 0)
    return math.ceil(images / scale) * scale
