"""Told apart: how often an observer that is shown one of two versions says the right one."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.symmetry.family import Candidate

CONFIDENCE = 0.95

# Note [One half]
# If x and T x have one law, so have h x and h T x. For any fixed function d of an image, then, d(h x) > 0 is as likely
# as d(h T x) > 0, and an observer that says "h" where d > 0 is right with probability [P(d(h x) > 0) + P(d(h T x) < 0)]
# / 2: one half, ties counted as halves. That holds whatever the observer has learned, from whatever, as long as the
# images that judge are not among those it learned from. All versions of an image, and of its near-duplicates, are one
# draw.


@dataclass(frozen=True)
class Reading:
    """The share of right answers, its standard error over images, and how many images that were."""

    share: float
    error: float
    images: int

    @property
    def interval(self) -> tuple[float, float]:
        """Student's two-sided interval of 95 %."""
        from scipy.stats import t as student

        half = float(student.ppf((1 + CONFIDENCE) / 2, max(self.images - 1, 1))) * self.error
        return max(self.share - half, 0.0), min(self.share + half, 1.0)

    def p_value(self, chance: float = 0.5) -> float:
        """How often chance tells as well: one-sided, of Student's t."""
        from scipy.stats import t as student

        return float(student.sf((self.share - chance) / self.error, max(self.images - 1, 1)))


def right_answers(logits: Tensor, candidate: Candidate) -> Tensor:
    """For each image the mean over pairs `(h, t)`, t = h T, of `[1(O[h,h] > O[h,t]) + 1(O[t,t] > O[t,h])] / 2`.

    Ties are halves. See Note [One half]. Shapes: (N, versions, versions) -> (N,)
    """
    h, t = torch.tensor(candidate.pairs).T
    first = logits[:, h, h] - logits[:, h, t]
    second = logits[:, t, t] - logits[:, t, h]
    return ((_right(first) + _right(second)) / 2).mean(1)


def read(answers: Tensor, clusters: Tensor | None = None) -> Reading:
    """The mean over images, and its standard error; images of one cluster are one draw.

    Shapes: answers (N,), clusters (N,) numbers of the near-duplicates that an image belongs to
    """
    answers = answers.double()
    if clusters is not None:
        _, place, counts = clusters.unique(return_inverse=True, return_counts=True)
        answers = torch.zeros(len(counts), dtype=torch.float64).index_add(0, place, answers) / counts
    count = len(answers)
    spread = float(answers.std()) if count > 1 else math.inf
    # A handful of images that happen to agree must not look certain.
    return Reading(float(answers.mean()), max(spread, 0.5 / math.sqrt(count)) / math.sqrt(count), count)


def _right(difference: Tensor) -> Tensor:
    return (difference > 0).double() + (difference == 0).double() / 2
