"""Figure 3: operators learned from pairs of patches: average pooling of radius 3 to 6.

    lgn reproduce fig3

Learns the eleven settings of sec. 5.2 from patches of CIFAR-10, once for figures 3 to 5. Expected: learned matrices
beside the exact ones. About two minutes on two cores; `--quick`: patches of digits, half a minute.
"""

from pathlib import Path

from studies.figures.operators import learned_operators
from studies.paper.context import Context


def run(context: Context) -> list[Path]:
    learned, patch, data = context.operators()
    chosen = {setting: matrix for setting, matrix in learned.items() if not setting.degrees}
    figure = learned_operators("Average pooling", "r = {0.radius}", chosen, patch, data)
    return context.save_figure(figure, "fig3")
