"""The paper's figures, and the recipe of each figure and measurement by its name.

The docstring of a recipe says what to expect, and how long it takes on two cores.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lgn.analysis.generator import tensor
from lgn.report import figures
from lgn.report.contents import Network
from lgn.report.figures.structures import highest
from lgn.training import preset
from studies.paper import claims, differences, structures
from studies.paper.claims.actions import product_errors
from studies.paper.context import Context, NotRun, caption
from studies.paper.figures import SETTINGS, Setting, operator_figure, runtime
from studies.paper.runs import SEEDS, classification, long_runs, reconstruction
from studies.speed.steps import SHAPES, penalty_ratios
from studies.training import with_task

Recipe = Callable[[Context], list[Path]]


def fig1(context: Context) -> list[Path]:
    """Group actions learned for classification on CIFAR-10, by structure.

    Trains the preset `paper` for 100 epochs, from the orthogonal and from the Gaussian start, and the preset
    `released`. Expected: a test accuracy near 70 %. Four hours.
    """
    return context.save_figures(figures.group_actions, long_runs("cifar10"), "fig1")


def fig2(context: Context) -> list[Path]:
    """The effect of the group actions of figure 1 on the identity matrix."""
    return context.save_figures(figures.effect_on_identity, long_runs("cifar10"), "fig2")


def _operators(context: Context, name: str, title: str, label: str, shown: Callable[[Setting], bool]) -> list[Path]:
    learned, data = context.operators()
    chosen = {setting: matrix for setting, matrix in learned.items() if shown(setting)}
    return context.save_figure(operator_figure(title, label, chosen, data), name)


def fig3(context: Context) -> list[Path]:
    """Operators learned from pairs of patches: average pooling of radius 3 to 6. Two minutes for figures 3 to 5."""
    return _operators(context, "fig3", "Average pooling", "r = {0.radius}", lambda setting: not setting.degrees)


def fig4(context: Context) -> list[Path]:
    """Operators learned from pairs of patches: rotation by 30, 45, 60 and 90 degrees."""
    return _operators(context, "fig4", "Rotation", "{0.degrees:g}°", lambda setting: setting.radius == 1)


def fig5(context: Context) -> list[Path]:
    """Operators learned from pairs of patches: pooling of radius 4 to 6, then rotation by 60 degrees.

    Also learns all operators with four more seeds for claim 12: the distance of learned compositions from products of
    learned parts (`compositions.json`). Ten minutes.
    """
    if not context.existing and not (context.out / "compositions.json").is_file():
        learned, data = context.operators()
        more = [context.learn_operators(seed) for seed in range(1, 1 if context.quick else SEEDS)]
        seeds = [learned, *(dict(zip(SETTINGS, matrices, strict=True)) for matrices in more)]
        context.write_json("compositions.json", {"data": data, "seeds": [product_errors(seed) for seed in seeds]})
    title = "Pooling, then rotation by 60°"
    return _operators(context, "fig5", title, "r = {0.radius}", lambda setting: setting.radius > 1 < setting.degrees)


def fig6(context: Context) -> list[Path]:
    """Group actions learned for classification on MNIST.

    Trains the settings of figure 1. Expected: a test accuracy of about 99 %. Two hours.
    """
    return context.save_figures(partial(figures.group_actions, rows=1), long_runs("mnist"), "fig6")


def fig7(context: Context) -> list[Path]:
    """Group actions learned for reconstruction on CIFAR-10 and MNIST: the most concentrated ones.

    Trains the preset `paper` for 30 epochs. An hour and a half.
    """
    runs = context.at_least_one({data: reconstruction(data) for data in context.distinct("cifar10", "mnist")})
    analyses = {caption(with_task(run)): context.analysis(run) for run in runs.values()}
    return context.save_figure(figures.reconstruction_actions(analyses), "fig7")


def fig8(context: Context) -> list[Path]:
    """The cost of the penalties in time.

    Times a training step with each penalty, as one batched computation and as a Python loop over generators. Expected:
    the batched inverse penalty within a few percent (the authors report 30 % on their GPU). A minute.
    """
    if context.existing:
        ratios = context.read_json("runtime.json")["ratios"]
    else:
        rounds = 3 if context.quick else 30
        shapes = {"MNIST": SHAPES["mnist"], "CIFAR-10": SHAPES["cifar10"]}
        measured = {name: penalty_ratios(shape, rounds) for name, shape in shapes.items()}
        ratios = {f"{name}: {way}": ratio for name, ways in measured.items() for way, ratio in ways.items()}
        context.write_json("runtime.json", {"ratios": ratios, "rounds": rounds})
    data = "random images of the shapes of MNIST and CIFAR-10; steps of 128 images, interleaved, median ratios"
    return context.save_figure(runtime(ratios, data), "fig8")


def fig9(context: Context) -> list[Path]:
    """The unfolded architecture, drawn from the network of the preset `paper`."""
    network = preset("paper").network
    order, size = network.finite_group.order, (network.kernel_size, network.kernel_size)
    drawn = Network(network.num_layers, network.num_sets, order, size, network.algorithm, 3, "10 classes")
    return context.save_figure(figures.architecture(drawn), "fig9")


def fig10(context: Context) -> list[Path]:
    """Circulant matrices are diagonal in the Fourier basis: a random real one, and its diagonal."""
    return context.save_figure(figures.circulant_and_diagonal(), "fig10")


def fig11(context: Context) -> list[Path]:
    """The attempt to diagonalise a random matrix, and the learned action of figure 1 that is nearest to Toeplitz.

    Expected: energy on the diagonal near 1/36 for the random matrix, and more for the learned one.
    """
    run = context.train(classification("cifar10"))
    analysis = context.analysis(run)
    (chosen,) = highest(analysis, "Toeplitz", 1)
    text = f"{caption(with_task(run))}, highest Toeplitz score"
    matrix = tensor(chosen.generator.matrix)
    return context.save_figure(figures.diagonalisation(matrix, analysis.patch, chosen.generator.name, text), "fig11")


RECIPES: dict[str, Recipe] = {
    **{recipe.__name__: recipe for recipe in (fig1, fig2, fig3, fig4, fig5, fig6, fig7, fig8, fig9, fig10, fig11)},
    "structures": structures.run,
    "differences": differences.run,
    "claims": claims.run,
}


def reproduce(names: tuple[str, ...], context: Context) -> tuple[list[Path], dict[str, str]]:
    """Run recipes in order; finished work is not done again.

    Returns the figures and pages written, and the reason for each recipe that was left out.
    """
    written, left_out = list[Path](), dict[str, str]()
    if unknown := [name for name in names if name not in RECIPES]:
        raise ValueError(f"recipe must be one of {', '.join(RECIPES)}, got {unknown[0]!r}")
    for name in names:
        try:
            written += RECIPES[name](context)
        except NotRun as reason:
            left_out[name] = str(reason)
    return written, left_out
