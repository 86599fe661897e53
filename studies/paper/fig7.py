"""Figure 7: group actions learned for reconstruction on CIFAR-10 and MNIST.

    lgn reproduce fig7

Trains the preset `paper` to reconstruct for 30 epochs. Expected: the most concentrated generators of both data sets.
About an hour and a half on two cores; `--quick`: a minute, on digits.
"""

from pathlib import Path

from lgn.report.figures import reconstruction_actions
from studies.paper.context import Context
from studies.paper.runs import reconstruction


def run(context: Context) -> list[Path]:
    found = context.at_least_one({data: reconstruction(data) for data in context.distinct("cifar10", "mnist")})
    analyses = {context.caption(each): context.analysis(each) for each in found.values()}
    return context.save_figure(reconstruction_actions(analyses), "fig7")
