"""Figure 2: the effect of the group actions on the identity matrix.

    lgn reproduce fig2

Uses the runs of figure 1. Expected: pictures of `phi_A(I)` for the generators of figure 1. Seconds, once those runs are
there.
"""

from pathlib import Path

from lgn.recipes.context import Context
from lgn.recipes.runs import long_runs
from lgn.report.figures import effect_on_identity


def run(context: Context) -> list[Path]:
    written = []
    for suffix, found in context.at_least_one(long_runs("cifar10")).items():
        figure = effect_on_identity(context.analysis(found), context.caption(found))
        written += context.save_figure(figure, f"fig2{suffix}")
    return written
