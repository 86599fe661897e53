"""Figure 8: what the penalties cost in time.

    lgn reproduce fig8

Times a training step without a penalty, with the inverse penalty and with singular values, each as one batched
computation and as a Python loop over generators: interleaved, and the median of the ratios within a round. Expected:
the batched inverse penalty within a few percent (the authors report 30 % on their GPU). About a minute on two cores.
"""

from pathlib import Path

from studies.figures.runtime import runtime
from studies.paper.context import Context
from studies.speed.penalties import penalty_ratios

SHAPES = {"MNIST": (1, 28, 28), "CIFAR-10": (3, 32, 32)}


def run(context: Context) -> list[Path]:
    if context.existing:
        ratios = context.read_json("runtime.json")["ratios"]
    else:
        rounds = 3 if context.quick else 30
        ratios = {
            f"{name}: {way}": ratio
            for name, shape in SHAPES.items()
            for way, ratio in penalty_ratios(shape, rounds).items()
        }
        context.write_json("runtime.json", {"ratios": ratios, "rounds": rounds})
    shapes = "random images of the shapes of MNIST and CIFAR-10; steps of 128 images, interleaved, median ratios"
    return context.save_figure(runtime(ratios, shapes), "fig8")
