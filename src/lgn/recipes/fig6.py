"""Figure 6: group actions learned for classification on MNIST.

    lgn reproduce fig6

Trains the preset `paper` on MNIST for 100 epochs. Expected: a test accuracy above 99.2 %, and the structures of figure
1. About an hour on two cores; `--quick`: half a minute, on digits.
"""

from pathlib import Path

from lgn.recipes.context import Context
from lgn.recipes.runs import classification
from lgn.report.figures import all_generators, mnist_actions


def run(context: Context) -> list[Path]:
    found = context.train(classification("mnist"))
    analysis, data = context.analysis(found), context.caption(found)
    written = context.save_figure(mnist_actions(analysis, data), "fig6")
    return written + context.save_figure(all_generators(analysis, data), "fig6-all")
