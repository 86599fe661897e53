"""Told apart: how often an observer that is shown one of two versions says the right one."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.discovery.images.family import Candidate
from lgn.stats import student_margin, student_p_value

# Note [One half]
# If x and T x have one law, so have h x and h T x. For any fixed function d of an image, then, d(h x) > 0 is as likely
# as d(h T x) > 0, and an observer that says "h" where d > 0 is right with probability [P(d(h x) > 0) + P(d(h T x) < 0)]
# / 2: one half, ties counted as halves. That holds whatever the observer has learned, from whatever, as long as the
# images that judge are not among those it learned from. All versions of an image, and of its near-duplicates, are one
# draw.

# Note [How sure]
# The same holds of s(d), s the logistic function, in place of 1(d > 0): one half, if T is a symmetry. An answer that
# the observer is sure of then weighs more than a guess, as log-likelihood ratios do, and luck adds less to a break.
# Whether a candidate reads less than a break of the margin is asked of this number. Among breaks of one size in total
# variation it is smallest for those that are spread evenly over images, as those of Note [A break of known size] are:
# others read more, if they are learned as well.


@dataclass(frozen=True)
class Reading:
    """The share of right answers, its standard error over images, and how many images that were.

    sure: how much the right answers were given, with its error: Note [How sure].
    """

    share: float
    error: float
    images: int
    sure: float
    sure_error: float

    @property
    def interval(self) -> tuple[float, float]:
        """Student's two-sided interval of 95 %."""
        margin = student_margin(self.error, max(self.images - 1, 1))
        return max(self.share - margin, 0.0), min(self.share + margin, 1.0)

    def p_value(self, chance: float = 0.5) -> float:
        """How often chance tells as well: one-sided, of Student's t."""
        return float(student_p_value((self.share - chance) / self.error, max(self.images - 1, 1)))


def answers(logits: Tensor, candidate: Candidate) -> Tensor:
    """For each image the mean over pairs `(h, t)`, t = h T, of `[s(O[h,h] - O[h,t]) + s(O[t,t] - O[t,h])] / 2`.

    First with the step, s(d) = 1(d > 0), ties being halves: whether it was right. Then with the logistic function: how
    sure of it. See Note [One half], Note [How sure]. Shapes: (N, versions, versions) -> (2, N)
    """
    h, t = torch.tensor(candidate.pairs).T
    differences = torch.stack([logits[:, h, h] - logits[:, h, t], logits[:, t, t] - logits[:, t, h]]).double()
    right = (differences.sign() + 1) / 2
    return torch.stack([right, differences.sigmoid()]).mean((1, 3))


def read(answers: Tensor, clusters: Tensor | None = None) -> Reading:
    """The means over images, and their standard errors; images of one cluster are one draw.

    Shapes: answers (2, N), clusters (N,) numbers of the near-duplicates that an image belongs to
    """
    if clusters is not None:
        _, place, counts = clusters.unique(return_inverse=True, return_counts=True)
        answers = torch.zeros(2, len(counts), dtype=torch.float64).index_add(1, place, answers) / counts
    count = answers.shape[1]
    # A handful of images that happen to agree must not look certain.
    spread = answers.std(1).clamp(min=0.5 / math.sqrt(count)) if count > 1 else torch.full((2,), math.inf)
    (share, sure), (error, sure_error) = answers.mean(1).tolist(), (spread / math.sqrt(count)).tolist()
    return Reading(share, error, count, sure, sure_error)
