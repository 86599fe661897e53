"""Figure 2: the effect of the group actions on the identity matrix.

    lgn reproduce fig2

Uses the runs of figure 1. Expected: pictures of `phi_A(I)` for the generators of figure 1. Seconds, once those runs are
there.
"""

from pathlib import Path

from lgn.report.figures import effect_on_identity
from studies.paper.context import Context
from studies.paper.runs import long_runs


def run(context: Context) -> list[Path]:
    return context.save_figures(effect_on_identity, long_runs("cifar10"), "fig2")
