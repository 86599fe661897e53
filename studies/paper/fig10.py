"""Figure 10: circulant matrices are diagonal in the Fourier basis.

    lgn reproduce fig10

Expected: a random diagonal, conjugate-symmetric so that the circulant matrix is real, and that matrix. Seconds.
"""

from pathlib import Path

from lgn.report.figures import circulant_and_diagonal
from studies.paper.context import Context


def run(context: Context) -> list[Path]:
    return context.save_figure(circulant_and_diagonal(), "fig10")
