"""Told apart: the accuracy of an observer that is shown one of two versions of a sample."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.stats import student_margin, student_p_value

# Note [One half]
# If x and T x have one distribution, so have h x and h T x. So for any fixed function d of a sample, d(h x) > 0 is as
# likely as d(h T x) > 0, and an observer that answers "h" if d > 0 is right with probability
# [P(d(h x) > 0) + P(d(h T x) < 0)] / 2, which is one half if ties count as halves. This holds for any observer, as long
# as the samples that test it are not among those that trained it. All versions of a sample, and of its near-duplicates,
# are one draw.

# Note [Confidence]
# The same holds for s(d) in place of 1(d > 0), where s is the logistic function: the mean is one half if T is a
# symmetry. A confident answer then weighs more than a guess, as log-likelihood ratios do, and luck adds less to a
# break. The comparison with the planted break uses this number. Among breaks of one size in total variation it is
# smallest for those that are spread evenly over the samples, as the planted ones are.


@dataclass(frozen=True)
class Reading:
    """The accuracy of an observer, its standard error over samples, and the number of independent samples.

    confidence: the mean of Note [Confidence], with its standard error.
    """

    share: float
    error: float
    count: int
    confidence: float
    confidence_error: float

    @property
    def interval(self) -> tuple[float, float]:
        """Student's two-sided interval of 95 % for the accuracy."""
        margin = student_margin(self.error, max(self.count - 1, 1))
        return max(self.share - margin, 0.0), min(self.share + margin, 1.0)

    def p_value(self, chance: float = 0.5) -> float:
        """The one-sided p-value of an accuracy above chance."""
        return float(student_p_value((self.share - chance) / self.error, max(self.count - 1, 1)))


def answers(logits: Tensor, pairs: Sequence[tuple[int, int]]) -> Tensor:
    """For each sample the mean over pairs `(h, t)`, t = h T, of `[s(O[h,h] - O[h,t]) + s(O[t,t] - O[t,h])] / 2`.

    First with the step function, whose value is one half for ties: the accuracy. Then with the logistic function: the
    confidence. See Note [One half] and Note [Confidence].

    Shapes: (N, versions, versions) -> (2, N)
    """
    h, t = torch.tensor(pairs).T
    differences = torch.stack([logits[:, h, h] - logits[:, h, t], logits[:, t, t] - logits[:, t, h]]).double()
    right = (differences.sign() + 1) / 2
    return torch.stack([right, differences.sigmoid()]).mean((1, 3))


def read(answers: Tensor, clusters: Tensor | None = None) -> Reading:
    """The means over samples, and their standard errors; the samples of a cluster are one draw.

    Shapes: answers (2, N), clusters (N,)
    """
    if clusters is not None:
        _, place, counts = clusters.unique(return_inverse=True, return_counts=True)
        answers = torch.zeros(2, len(counts), dtype=torch.float64).index_add(1, place, answers) / counts
    count = answers.shape[1]
    # A few samples that happen to agree must not look certain.
    spread = answers.std(1).clamp(min=0.5 / math.sqrt(count)) if count > 1 else torch.full((2,), math.inf)
    (share, confidence), (error, confidence_error) = answers.mean(1).tolist(), (spread / math.sqrt(count)).tolist()
    return Reading(share, error, count, confidence, confidence_error)
