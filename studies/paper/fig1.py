"""Figure 1: group actions learned for classification on CIFAR-10, by structure.

    lgn reproduce fig1

Trains the preset `paper` on CIFAR-10 for 100 epochs, from the orthogonal and from the Gaussian start, and the preset
`released`. Expected: a test accuracy near 70 %; the generators with the highest skew-symmetric, Toeplitz and
multi-scale scores. About four hours on two cores; `--quick`: two minutes, on digits.
"""

from pathlib import Path

from lgn.report.figures import group_actions
from studies.paper.context import Context
from studies.paper.runs import long_runs


def run(context: Context) -> list[Path]:
    return context.save_figures(group_actions, long_runs("cifar10"), "fig1")
