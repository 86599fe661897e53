"""The accuracy of an observer that tells two versions of a sample apart."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.stats import cluster_means, student_margin, student_p_value

# Note [One half]
# If x and T x have one distribution, so have h x and h T x. Then d(h x) > 0 is as likely as d(h T x) > 0 for any fixed
# function d of a sample. An observer that answers "h" if d > 0 is right with probability
# [P(d(h x) > 0) + P(d(h T x) < 0)] / 2, which is one half if ties count as halves. This holds for any observer, as long
# as no sample is used for both its training and its test. All versions of a sample and of its near-duplicates are one
# draw.

# Note [Confidence]
# The same holds if the step function of d is replaced by the logistic function s(d): the mean is one half if T is a
# symmetry. A confident answer then counts more than a guess, as in log-likelihood ratios, and a lucky guess counts
# less. The comparison with the planted break uses this number. Among breaks of one size in total variation, it is
# smallest for those that are spread evenly over the samples, as the planted breaks are.


@dataclass(frozen=True)
class Accuracy:
    """The accuracy of an observer, its standard error over samples, and the number of independent samples.

    confidence: the mean of Note [Confidence], with its standard error.
    """

    value: float
    error: float
    count: int
    confidence: float
    confidence_error: float

    @property
    def interval(self) -> tuple[float, float]:
        """Student's two-sided interval of 95 % for the accuracy."""
        margin = student_margin(self.error, max(self.count - 1, 1))
        return max(self.value - margin, 0.0), min(self.value + margin, 1.0)

    def p_value(self, chance: float = 0.5) -> float:
        """The one-sided p-value of an accuracy above chance."""
        return float(student_p_value((self.value - chance) / self.error, max(self.count - 1, 1)))


def correctness(logits: Tensor, pairs: Sequence[tuple[int, int]]) -> Tensor:
    """The mean over pairs `(h, t)`, t = h T, of `[s(O[h,h] - O[h,t]) + s(O[t,t] - O[t,h])] / 2`, for every sample.

    In the first row, s is the step function with the value one half for ties, so the mean over samples is the accuracy.
    In the second row, s is the logistic function. See Note [One half] and Note [Confidence].

    Shapes: (N, versions, versions) -> (2, N)
    """
    h, t = torch.tensor(pairs).T
    differences = torch.stack([logits[:, h, h] - logits[:, h, t], logits[:, t, t] - logits[:, t, h]]).double()
    steps = (differences.sign() + 1) / 2
    return torch.stack([steps, differences.sigmoid()]).mean((1, 3))


def mean_accuracy(correct: Tensor, clusters: Tensor | None = None) -> Accuracy:
    """The means of `correctness` over samples, with standard errors; the samples of a cluster are one draw.

    Shapes: correct (2, N), clusters (N,)
    """
    if clusters is not None:
        correct = cluster_means(correct, clusters)
    count = correct.shape[1]
    # The lower limit keeps a few samples that agree by chance from looking certain.
    deviation = correct.std(1).clamp(min=0.5 / math.sqrt(count)) if count > 1 else torch.full((2,), math.inf)
    (value, confidence), (error, confidence_error) = correct.mean(1).tolist(), (deviation / math.sqrt(count)).tolist()
    return Accuracy(value, error, count, confidence, confidence_error)
