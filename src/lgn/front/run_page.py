"""`lgn.write_report`: pages of runs, analyses and files of matrices, and their contents."""

from dataclasses import replace
from os import PathLike
from pathlib import Path

from torch import Tensor

from lgn import data
from lgn.actions import Patch
from lgn.analysis import Analysis
from lgn.front.run_analysis import Source, analyze, default_path, is_file
from lgn.nn import GroupNet, generator_sites
from lgn.nn.gates import OPEN
from lgn.pretrained import find_run
from lgn.report import Contents, Network, write_page
from lgn.report.figures import write_figures
from lgn.training import Run, local_training_images
from lgn.training.presets import changes_from_preset, nearest_preset

#: The page shows the crops with the highest contrast among those that are drawn.
CROPS, DRAWN = 24, 600
TASKS = {"classify": "classification", "reconstruct": "reconstruction"}
#: Settings with a place of their own in the table of facts.
SHOWN = (
    *("epochs", "learning_rate", "num_layers", "num_sets", "kernel_size", "generator"),
    *("share", "start", "group", "operator", "gates"),
)


def write_report(
    source: Source | Analysis,
    path: str | PathLike[str] | None = None,
    *,
    against: Source | Analysis | None = None,
    patch: Patch | None = None,
    figures: bool = False,
    progress: bool = False,
) -> Path:
    """Write a page that shows what generators do, one HTML file that works offline, and return its path.

    source: a run, an analysis, or a file of matrices.  against: a second source to compare with.
    path: the page; by default `report.html` in the run, or `NAME.report.html`.
    figures: also write the figures as PNG, SVG and PDF into `figures` next to the page.
    """
    out = default_path(source, "report.html") if path is None else Path(path)
    if not out.parent.is_dir():
        raise FileNotFoundError(f"path must be in a directory that exists, got {out}")
    shown = [contents_of(one, patch=patch, progress=progress) for one in (source, against) if one is not None]
    if len({contents.title for contents in shown}) < len(shown):
        names = [one.path.name if isinstance(one, Run) else Path(str(one)).name for one in (source, against)]
        shown = [replace(one, title=f"{one.title} ({name})") for one, name in zip(shown, names, strict=True)]
    write_page(out, *shown)
    if figures:
        write_figures(shown[0], out.parent / "figures")
    return out


def contents_of(source: Source | Analysis, *, patch: Patch | None = None, progress: bool = False) -> Contents:
    """Everything that a page shows of a run, an analysis, or a file of matrices.

    Crops are shown only if the training images are on this machine.
    """
    if isinstance(source, Analysis):
        return Contents(title="matrices", analysis=source)
    analysis = analyze(source, patch=patch, progress=progress)
    if is_file(source):
        return Contents(title=Path(str(source)).name, analysis=analysis)
    run = find_run(source)
    sites, config, facts, metrics = generator_sites(run.network), run.config, run.facts, run.metrics
    network = config.network
    notes = {
        f"Stopped after {len(metrics)} of {config.epochs} epochs: the last checkpoint is shown.": not run.finished,
        "No accuracy: the images have no labels, and the network reconstructs them.": not facts.class_names,
        "The generators were given and not trained.": network.generator == "fixed",
    }
    head = f"{len(facts.class_names)} classes" if facts.task == "classify" else "reconstruction"
    size = network.num_layers, network.num_sets, network.finite_group.order
    drawn = Network(*size, analysis.patch, network.algorithm, facts.image_shape[0], head)
    return Contents(
        title=f"{facts.data_name}, {TASKS[facts.task]}",
        analysis=analysis,
        facts=facts_of_run(run),
        result=result_of(run),
        metrics=tuple({k: v for k, v in row.items() if v is None or isinstance(v, int | float)} for row in metrics),
        class_names=facts.class_names,
        notes=(*(note for note, applies in notes.items() if applies), *facts.data_notes),
        bases=tuple(site.bases for site in sites),
        base_names=tuple(site.base_names for site in sites),
        crops=_crops(run, analysis.patch),
        network=drawn if network.architecture == "unfolded" else None,
        group=network.finite_group,
    )


def facts_of_run(run: Run) -> tuple[tuple[str, str], ...]:
    """The settings of a run as rows of a table."""
    config, facts, model = run.config, run.facts, run.network
    network, group = config.network, config.network.finite_group
    kind = {"unfolded": network.algorithm.upper(), "cnn": "a plain CNN", "net": "a net"}[network.architecture]
    is_net = network.architecture == "net"
    sets = f"at most {network.parameters:,} parameters, sets" if is_net else f"{network.num_sets} sets"
    changed = ", ".join(f"{name} {value}" for name, value in changes_from_preset(config).items() if name not in SHOWN)
    operators = " and ".join(network.operator)
    generators = f"{network.generator}, one per {network.share}, started {operators or network.start}"
    if network.generator == "fixed":
        generators = f"given, not trained: {operators or f'the known action of {group.name}'}"
    train, test, size = (*(f"{facts.counts[part]:,}" for part in ("train", "test")), network.kernel_size)
    rows = {
        "images": f"{facts.data_name}, {train} to train, {test} to test, {' x '.join(map(str, facts.image_shape))}",
        "task": TASKS[facts.task],
        "network": f"{network.num_layers} layers of {kind}, {sets} of {group.order} filters, orbits of {group.name}, "
        f"{size} x {size}",
        "generators": generators,
        "penalty": config.penalty + ("" if config.penalty == "none" else f", weight {config.penalty_weight:g}"),
        "training": f"{config.epochs} epoch{'s' * (config.epochs > 1)}, learning rate {config.learning_rate:g}, seed "
        f"{config.seed}, preset {nearest_preset(config)}{changed and f' with {changed}'}",
        "run": str(run.path),
    }
    if isinstance(model, GroupNet) and model.gates is not None:
        gates = ", ".join(f"{word} {value:.2f}" for word, value in model.gates.by_word().items())
        rows["gates"] = f"{gates}; an element and its inverse share a gate, and gates above {OPEN:g} are open"
    return tuple(rows.items())


def _crops(run: Run, patch: Patch) -> Tensor | None:
    """Crops of training images in [0, 1]; None if the images are not on this machine."""
    images = local_training_images(run.config)
    if images is None or images.shape[-2] < patch[0] or images.shape[-1] < patch[1]:
        return None
    drawn = data.patches(images, (patch[0], patch[1]), DRAWN, run.config.data_seed).float().mean(1) / 255
    return drawn[drawn.flatten(1).std(1).topk(CROPS).indices]


def result_of(run: Run) -> str | None:
    """The measurements of the last epoch; None if no epoch is complete."""
    if not run.metrics:
        return None
    last = run.metrics[-1]
    epochs = f"after {last['epoch']} epoch{'s' * (last['epoch'] > 1)}"
    if last.get("test_accuracy") is not None:
        return f"test accuracy {100 * last['test_accuracy']:.2f} % {epochs}"
    if last.get("test_error") is not None:
        return f"test error {last['test_error']:.4g} with {100 * last['test_active']:.0f} % of codes active {epochs}"
    return None
