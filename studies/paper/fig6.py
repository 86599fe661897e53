"""Figure 6: group actions learned for classification on MNIST.

    lgn reproduce fig6

Trains the same three settings as figure 1 on MNIST, for 100 epochs each. Expected: a test accuracy of about 99 %, and
the structures of figure 1. About two hours on two cores; `--quick`: seconds, with the runs of figure 1.
"""

from functools import partial
from pathlib import Path

from lgn.report.figures import group_actions
from studies.paper.context import Context
from studies.paper.runs import long_runs


def run(context: Context) -> list[Path]:
    return context.save_figures(partial(group_actions, rows=1), long_runs("mnist"), "fig6")
