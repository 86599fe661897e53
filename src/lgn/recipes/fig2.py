"""Figure 2: the effect of the group actions on the identity matrix.

    lgn reproduce fig2

Uses the run of figure 1. Expected: pictures of `phi_A(I)` for the generators of figure 1. Seconds, once that run is
there.
"""

from pathlib import Path

from lgn.recipes.context import Context
from lgn.recipes.runs import classification
from lgn.report.figures import effect_on_identity


def run(context: Context) -> list[Path]:
    found = context.train(classification("cifar10"))
    return context.save_figure(effect_on_identity(context.analysis(found), context.caption(found)), "fig2")
