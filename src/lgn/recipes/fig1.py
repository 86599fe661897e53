"""Figure 1: group actions learned for classification on CIFAR-10, by structure.

    lgn reproduce fig1

Trains the preset `paper` on CIFAR-10 for 100 epochs, from the orthogonal and from the Gaussian start, and the preset
`released`. Expected: a test accuracy near 70 %; the generators with the highest skew-symmetric, Toeplitz and
multi-scale scores, as `A` and as the change `A - A_0`. About four hours on two cores; `--quick`: two minutes, on
digits.
"""

from pathlib import Path

from lgn.recipes.context import Context
from lgn.recipes.runs import long_runs
from lgn.report.figures import all_generators, group_actions


def run(context: Context) -> list[Path]:
    written = []
    for suffix, found in context.at_least_one(long_runs("cifar10")).items():
        analysis, data = context.analysis(found), context.caption(found)
        written += context.save_figure(group_actions(analysis, data), f"fig1{suffix}")
        written += context.save_figure(all_generators(analysis, data), f"fig1-all{suffix}")
        change = context.analysis(found, change=True)
        words = f"{data}; what training changed, A - A_0"
        written += context.save_figure(group_actions(change, words), f"fig1-change{suffix}")
    return written
