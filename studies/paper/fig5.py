"""Figure 5: operators learned from pairs of patches: pooling of radius 4 to 6, then rotation by 60 degrees.

    lgn reproduce fig5

Learns the eleven settings of sec. 5.2 from patches of CIFAR-10, once for figures 3 to 5, and with four more seeds for
claim 12. Expected: learned matrices beside the exact ones, and in `compositions.json` how far learned compositions are
from products of learned parts. About ten minutes on two cores; `--quick`: patches of digits, half a minute.
"""

from pathlib import Path

from studies.figures.operators import learned_operators
from studies.paper.claims.actions import product_errors
from studies.paper.context import Context
from studies.paper.operators import SETTINGS
from studies.paper.runs import SEEDS


def run(context: Context) -> list[Path]:
    learned, patch, data = context.operators()
    chosen = {setting: matrix for setting, matrix in learned.items() if setting.radius > 1 and setting.degrees}
    figure = learned_operators("Pooling, then rotation by 60°", "r = {0.radius}", chosen, patch, data)
    if not context.existing and not (context.out / "compositions.json").is_file():
        more = [context.learn_operators(seed) for seed in range(1, 1 if context.quick else SEEDS)]
        seeds = [learned, *(dict(zip(SETTINGS, each, strict=True)) for each in more)]
        context.write_json("compositions.json", {"data": data, "seeds": [product_errors(each) for each in seeds]})
    return context.save_figure(figure, "fig5")
