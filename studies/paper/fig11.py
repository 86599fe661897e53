"""Figure 11: the attempt to diagonalise a random matrix, and the learned action nearest to Toeplitz.

    lgn reproduce fig11

Uses the run of figure 1. Expected: energy on the diagonal near 1/36 for the random matrix, and more for the learned
one. Seconds, once that run is there.
"""

from pathlib import Path

from lgn.analysis.generator import tensor
from lgn.report.figures import diagonalisation
from lgn.report.figures.choose import highest
from studies.paper.context import Context
from studies.paper.runs import classification


def run(context: Context) -> list[Path]:
    found = context.train(classification("cifar10"))
    analysis = context.analysis(found)
    (chosen,) = highest(analysis, "Toeplitz", 1)
    words = f"{context.caption(found)}, highest Toeplitz score"
    matrix = tensor(chosen.generator.matrix)
    return context.save_figure(diagonalisation(matrix, analysis.patch, chosen.generator.name, words), "fig11")
