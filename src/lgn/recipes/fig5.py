"""Figure 5: operators learned from pairs of patches: pooling of radius 4 to 6, then rotation by 60 degrees.

    lgn reproduce fig5

Learns the eleven settings of sec. 5.2 from patches of CIFAR-10, once for figures 3 to 5, and with four more seeds for
claim 12. Expected: learned matrices beside the exact ones, and in `compositions.json` how far learned compositions are
from products of learned parts. About ten minutes on two cores; `--quick`: patches of digits, half a minute.
"""

from pathlib import Path

from lgn.operators.study import SETTINGS
from lgn.recipes.claims.actions import product_errors
from lgn.recipes.context import Context
from lgn.recipes.runs import SEEDS
from lgn.report.figures import compositions


def run(context: Context) -> list[Path]:
    learned, patch, data = context.operators()
    figure = compositions({s.radius: m for s, m in learned.items() if s.radius > 1 and s.degrees}, patch, data)
    if not context.existing and not (context.out / "compositions.json").is_file():
        more = [context.learn_operators(seed).gradient for seed in range(1, 1 if context.quick else SEEDS)]
        seeds = [learned, *(dict(zip(SETTINGS, each, strict=True)) for each in more)]
        context.write_json("compositions.json", {"data": data, "seeds": [product_errors(each) for each in seeds]})
    return context.save_figure(figure, "fig5")
