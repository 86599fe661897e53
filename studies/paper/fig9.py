"""Figure 9: the unfolded architecture, drawn from the network itself.

    lgn reproduce fig9

Expected: the network of the preset `paper`, in seconds.
"""

from pathlib import Path

from lgn.report.contents import Network
from lgn.report.figures import architecture
from lgn.training import preset
from studies.paper.context import Context


def run(context: Context) -> list[Path]:
    network = preset("paper").network
    size = (network.kernel_size, network.kernel_size)
    drawn = Network(
        network.num_layers, network.num_sets, network.finite_group.order, size, network.algorithm, 3, "10 classes"
    )
    return context.save_figure(architecture(drawn), "fig9")
