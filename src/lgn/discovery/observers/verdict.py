"""The verdict on a transformation, kept, broken or undecided, from the accuracy of observers."""

import math
from collections.abc import Sequence

from lgn.answer import Verdict
from lgn.discovery.observers.accuracy import Accuracy
from lgn.stats import LEVEL, normal_quantile

#: A transformation is kept if the best observer would have an accuracy below 1/2 + margin.
MARGIN = 0.05
#: A break of the margin may be harder to see than the planted one. It is still seen if its accuracy beyond chance is at
#: least this share of that of the planted break.
SEEN = 0.5
#: With this gap to the planted break, in standard errors, 98 of 100 cases are decided.
DECIDES = 4.0


def decide(accuracy: Accuracy, p_value: float, control: Accuracy | None, margin: float) -> Verdict:
    """The verdict from a corrected p-value and the accuracy on a planted break (Note [Planted break]).

    Kept: the confidence is below that of the planted break, one-sided at LEVEL, and the interval ends below 1/2 +
    margin. If the transformation is told apart more often than chance, the interval must end below `smallest_break`.
    Broken: told apart more often than chance, and not kept.
    """
    significant = p_value <= LEVEL
    if control is not None and is_below(accuracy, control):
        limit = smallest_break(control) if significant else 0.5 + margin
        if accuracy.interval[1] < limit:
            return "kept"
    return "broken" if significant else "undecided"


def is_below(accuracy: Accuracy, control: Accuracy) -> bool:
    """Whether the accuracy is below `smallest_break`, and the confidence below that of the control beyond all errors.

    An accuracy below one half is luck and counts as one half: luck must not make up for a break that was not seen.
    """
    return accuracy.value < smallest_break(control) and _gap(accuracy, control) > normal_quantile(1 - LEVEL)


def is_open(accuracies: Sequence[Accuracy], control: Accuracy) -> bool:
    """Whether a transformation is neither below the control nor clearly told apart more often than chance."""
    level = LEVEL / len(accuracies)
    return any(not is_below(accuracy, control) and accuracy.p_value() > level for accuracy in accuracies)


def smallest_break(control: Accuracy) -> float:
    """The smallest accuracy on a break of the margin: SEEN of the accuracy beyond chance on the planted break."""
    return 0.5 + SEEN * (control.value - 0.5)


def _gap(accuracy: Accuracy, control: Accuracy) -> float:
    """The difference of the confidences in standard errors."""
    error = math.hypot(accuracy.confidence_error, control.confidence_error)
    return (control.confidence - max(accuracy.confidence, 0.5)) / error


def needed_sizes(accuracy: Accuracy, control: Accuracy | None, count: int) -> tuple[int, int] | None:
    """The sample sizes at which the gap is DECIDES, because errors shrink with the root of the sample size.

    The range covers gaps that are one standard error larger or smaller than the measured gap. It is None if the
    observer has not learned to see the planted break.

    count: the number of samples.
    """
    if control is None or control.interval[0] <= 0.5:
        return None
    gap = _gap(accuracy, control)
    low, high = ((DECIDES / max(gap + error, DECIDES / 10)) ** 2 for error in (1, -1))
    return _rounded_up(count * min(max(low, 1.5), 100)), _rounded_up(count * min(max(high, 1.5), 100))


def _rounded_up(count: float) -> int:
    """The next larger number with two digits that are not zero."""
    scale = 10 ** max(math.floor(math.log10(count)) - 1, 0)
    return math.ceil(count / scale) * scale
