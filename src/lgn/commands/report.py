"""`lgn report`: the page of a run, or of any matrices, and the figures."""

import webbrowser
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Annotated, Any

import torch
import tyro
from torch import Tensor

from lgn import data
from lgn.analysis import Analysis
from lgn.analysis.generator import tensor
from lgn.commands.analyze import analyze_source
from lgn.generators import Generator
from lgn.nn import OrbitBank
from lgn.pretrained import find_run, place_for
from lgn.report import Contents, Network, write_page
from lgn.report.figures import write_figures
from lgn.training import Config, Run

#: Crops that are offered on the page, the most contrasted of those that are drawn.
CROPS, DRAWN = 24, 600
#: What tells the basis filters of one generator apart.
WORDS = ("layer", "set", "channel")


def run(args: list[str]) -> int:
    tyro.cli(_report, prog="lgn report", args=args)
    return 0


def _report(
    source: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="RUN|FILE")],
    against: Path | None = None,
    out: Path | None = None,
    open: bool = False,
    figures: bool = False,
    patch: tuple[int, int] | None = None,
) -> None:
    """Make one HTML file that shows what was learned. It opens anywhere, offline.

    Args:
        source: a run directory, the name of a network that comes with the package, or an .npy or .npz file of square
            matrices.
        against: a second run, or file, to put beside it.
        out: where to write the page (default: report.html in the run, or NAME.report.html).
        open: open the page when it is written.
        figures: write the figures too, as PNG, SVG and PDF, into `figures` beside the page.
        patch: for a file: height and width of the filters that the matrices act on.
    """
    written = write_report(source, against=against, out=out, patch=patch, figures=figures)
    if figures:
        print(f"figures: {written.parent / 'figures'}")
    print(f"page: {written}")
    if open:
        webbrowser.open(written.resolve().as_uri())


def write_report(
    source: Path,
    *,
    against: Path | None = None,
    out: Path | None = None,
    patch: tuple[int, int] | None = None,
    figures: bool = False,
) -> Path:
    """Write the page of a run directory or of a file of matrices; returns its path."""
    if out is None:
        is_file = source.is_file()
        out = source.with_suffix(".report.html") if is_file else place_for(find_run(source), "report.html")
    if not out.parent.is_dir():
        raise FileNotFoundError(f"out must be in a directory that exists, got {out}")
    contents = contents_of(source, patch)
    other = None if against is None else contents_of(against, patch)
    if against is not None and other is not None and other.title == contents.title:
        contents = replace(contents, title=f"{contents.title} ({source.name})")
        other = replace(other, title=f"{other.title} ({against.name})")
    write_page(out, contents, other)
    if figures:
        write_figures(contents, out.parent / "figures")
    return out


def contents_of(source: Path, patch: tuple[int, int] | None = None) -> Contents:
    """All that a page shows of a run directory, or of a file of matrices."""
    if source.is_file():
        return Contents(title=source.name, analysis=analyze_source(source, patch), notes=("These are bare matrices.",))
    return contents_of_run(find_run(source))


def contents_of_run(found: Run) -> Contents:
    """Everything that a run directory and, where they are to be had, its images say."""
    banks = [module for module in found.model().modules() if isinstance(module, OrbitBank)]
    if not banks:
        raise ValueError(f"run must have generators, {found.path} has free filters")
    analysis = _analysis(found, banks)
    bases, names = _bases(banks, analysis)
    config, facts, metrics = found.config, found.facts, found.metrics
    notes = []
    if not found.finished:
        notes.append(
            f"This run was interrupted: {len(metrics)} of {config.epochs} epochs are done, and what is shown is its "
            "last checkpoint."
        )
    if not facts["class_names"]:
        notes.append("No accuracy: the images have no labels, and the network was trained to reconstruct them.")
    crops = _crops(found, analysis.patch)
    head = f"{len(facts['class_names'])} classes" if facts["task"] == "classify" else "reconstruction"
    network = config.network
    drawn = Network(
        network.num_layers,
        network.num_sets,
        network.order,
        analysis.patch,
        network.algorithm,
        banks[0].basis.shape[1],
        head,
    )
    return Contents(
        title=f"{facts['data']['name']}, {'classification' if facts['task'] == 'classify' else 'reconstruction'}",
        analysis=analysis,
        facts=_facts(found),
        result=_result(metrics),
        metrics=tuple({k: v for k, v in row.items() if v is None or isinstance(v, int | float)} for row in metrics),
        class_names=tuple(facts["class_names"]),
        notes=(*notes, *facts["data"]["notes"]),
        bases=bases,
        base_names=names,
        crops=crops,
        network=drawn if network.architecture == "unfolded" else None,
    )


def _analysis(found: Run, banks: list[OrbitBank]) -> Analysis:
    """The stored analysis where it is that of the network as it is now, else a new one."""
    path = place_for(found, "analysis.json")
    with torch.no_grad():
        now = torch.cat([generator.matrix().flatten(0, 1).double() for generator in _generators(banks)])
    if (stored := Analysis.stored(path)) is not None:
        matrices = torch.stack([tensor(each.matrix) for each in stored.generators])
        if matrices.shape == now.shape and torch.allclose(matrices, now):
            return stored
    analysis = analyze_source(found.path)
    # That of an interrupted run would soon be out of date, and the package is not written to.
    if found.finished and path.parent == found.path:
        analysis.to_json(path)
    return analysis


def _generators(banks: list[OrbitBank]) -> list[Generator]:
    """In the order of the analysis, each once however many banks share it."""
    return list({id(bank.generator): bank.generator for bank in banks}.values())


def _bases(banks: list[OrbitBank], analysis: Analysis) -> tuple[tuple[Tensor, ...], tuple[tuple[str, ...], ...]]:
    """For each generator the basis filters at its layer, set and channel, and what tells them apart."""
    filters, names = [], []
    analysed = iter(analysis.generators)
    for generator in _generators(banks):
        # The banks of one generator as the layers of one.  (layers, sets, channels, n, m)
        served = [bank for bank in banks if bank.generator is generator]
        layers = [layer for bank in served for layer in bank.basis.detach().unflatten(0, (bank.num_layers, -1))]
        for each in islice(analysed, generator.start_distance.numel()):
            label = (each.layer, each.set, each.channel)
            chosen = [
                (number, k, channel)
                for number, layer in enumerate(layers, 1)
                for k, channel in product(range(1, layer.shape[0] + 1), range(1, layer.shape[1] + 1))
                if all(wanted in (None, place) for wanted, place in zip(label, (number, k, channel), strict=True))
            ]
            filters.append(torch.stack([layers[number - 1][k - 1, channel - 1] for number, k, channel in chosen]))
            varying = [axis for axis in range(3) if len({place[axis] for place in chosen}) > 1]
            names.append(
                tuple(", ".join(f"{WORDS[axis]} {place[axis]}" for axis in varying) or "basis" for place in chosen)
            )
    return tuple(filters), tuple(names)


def _crops(found: Run, patch: tuple[int, int]) -> Tensor | None:
    """Crops of training images in [0, 1], those with the most contrast; None where the images are not here."""
    config = found.config
    try:
        images = data.load(
            config.data, config.data_dir, image_size=config.image_size, seed=config.data_seed, download=False
        ).train.images
        drawn = data.patches(images, patch, DRAWN, config.data_seed).float().mean(1) / 255
    except (data.DataError, OSError):
        return None
    return drawn[drawn.flatten(1).std(1).topk(CROPS).indices]


def _facts(found: Run) -> tuple[tuple[str, str], ...]:
    config, facts = found.config, found.facts
    network, counts = config.network, facts["counts"]
    channels, height, width = facts["image_shape"]
    kind = network.algorithm.upper() if network.architecture == "unfolded" else "a plain CNN"
    rows = {
        "images": f"{facts['data']['name']}, {counts['train']:,} to train, {counts['test']:,} to test, "
        f"{channels} x {height} x {width}",
        "task": "classification" if facts["task"] == "classify" else "reconstruction",
        "network": f"{network.num_layers} layers of {kind}, {network.num_sets} sets of "
        f"{network.order} filters, {network.kernel_size} x {network.kernel_size}",
        "generators": f"{network.generator}, one for each {network.share}, {_start(config)}",
        "penalty": config.penalty
        if config.penalty == "none"
        else f"{config.penalty}, weight {config.penalty_weight:g}",
        "training": f"{config.epochs} epochs, learning rate {config.learning_rate:g}, seed {config.seed}, "
        f"preset {config.preset}",
        "run": str(found.path),
    }
    return tuple(rows.items())


def _start(config: Config) -> str:
    if config.train == "lifted":
        return "lifted from free filters"
    chosen = f", the best of {config.starts} starts" if config.starts > 1 else ""
    return f"started {config.network.operator or config.network.start}{chosen}"


def _result(metrics: list[dict[str, Any]]) -> str | None:
    """The last epoch in words; None where there was none."""
    if not metrics:
        return None
    last = metrics[-1]
    epochs = f"after {last['epoch']} epoch{'' if last['epoch'] == 1 else 's'}"
    if last.get("test_accuracy") is not None:
        return f"Test accuracy {100 * last['test_accuracy']:.2f} % {epochs}."
    if last.get("test_error") is not None:
        return f"Test error {last['test_error']:.4g} {epochs}, with {100 * last['test_active']:.0f} % of codes active."
    return None
