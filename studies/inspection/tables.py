"""The tables of docs/evidence/inspection.md."""

from functools import partial
from typing import Any

from matplotlib.figure import Figure

from lgn.report.figures.style import BLUE, ORANGE, SOFT, caption, new_figure
from studies.paper.figures import plain
from studies.render import Maker, NotMeasured, Results, times
from studies.tables import Record, Table, named_by, rates, where

MORE = ("others", "lookalikes", "largest gap", "members", "power", "opposite", "cosine")
name = named_by("kind", "input")
TWINS_NEED = 0.25  # the gap that twins need, in nats
FALSE_CALLS = 0.05  # the share of all unrelated banks in which a group may be found


def rates_of(part: str, results: Results) -> Table:
    return rates(results.cells(part), name, MORE)


def unrelated(results: Results) -> Table:
    found = results.cells("unrelated")
    every = rates([{**cell, "limit": FALSE_CALLS} for cell in found], lambda _: "all", MORE)
    by_family = rates(found, name, MORE)
    return Table(by_family.headings, [*by_family.rows, *every.rows])


def networks(results: Results) -> list[Record]:
    return results.cells("published", "own")


def _places(layer: Record) -> list[Record]:
    return where(layer["rows"], kind="place")


def _group(group: dict[str, Any]) -> str:
    if group["order"] == 1:
        return "none"
    return group["name"] if group["order"] == 8 else f"{group['name']} ({', '.join(group['elements'][1:])})"


def layers(results: Results) -> list[Record]:
    """The inspected layers of all networks."""
    return [
        {
            **layer,
            "network": network["name"],
            "licence": network["licence"],
            "size": "x".join(map(str, layer["shape"])),
            "twins": _group(layer["group"]),
            "gap": max((row["gap"] for row in _places(layer)), default=0),
            "balanced": _group(layer["balanced_group"]),
            "broken": ", ".join(row["name"] for row in where(_places(layer), balance="broken")) or "nothing",
        }
        for network in networks(results)
        for layer in network["layers"]
    ]


def files(results: Results) -> list[Record]:
    """The origin of each network, the window of its filters, and the totals over its layers."""
    return [
        {
            **first,
            **network,
            "rows": "{} to {}, {} to {}".format(*first["window"]),
            "unused": f"{len(first['dead'])}, {len(first['flat'])}",
        }
        for network in results.cells("published")
        for first in network["layers"][:1]
    ]


def counted(results: Results) -> Table:
    """How many first layers of published networks, and layers of our own networks, have twins or are balanced."""
    rows = []
    for heading, part in (("published networks, first layers", "published"), ("networks of lgn, all layers", "own")):
        found = results.cells(part)
        chosen = [layer for network in found for layer in network["layers"][: 1 if part == "published" else None]]
        twins, balanced = (sum(layer[key]["order"] > 1 for layer in chosen) for key in ("group", "balanced_group"))
        alike = sum(layer["lookalikes"] or 0 for layer in chosen) / max(1, sum(layer["filters"] for layer in chosen))
        rows.append([heading, str(len(chosen)), str(twins), str(balanced), f"{100 * alike:.0f} %"])
    return Table(["", "layers", "with twins", "balanced", "lookalikes"], rows)


def first_layer(network: str, results: Results) -> list[Record]:
    """Every transformation of the first layer of a published network."""
    if not (found := where(networks(results), name=network)):
        raise NotMeasured(network)
    return found[0]["layers"][0]["rows"]


PUBLISHED = {
    "open-nsfw": "open_nsfw",
    "dlib": "dlib faces",
    "res10": "res10 faces",
    "imgsim": "imgsim",
    "alexnet": "stlpips, AlexNet",
    "vgg": "stlpips, VGG",
}
TABLES: dict[str, Maker] = {
    "unrelated": unrelated,
    "layers": layers,
    "counted": counted,
    "files": files,
    "time": times,
    **{which: partial(rates_of, which) for which in ("orbits", "balance", "following")},
    **{short: partial(first_layer, network) for short, network in PUBLISHED.items()},
}


def first_layers(results: Results) -> Figure:
    """A row for each network, a dot for each turn, flip and transposition of its first layer."""
    found = networks(results)
    figure = new_figure(8.6, 0.3 * len(found) + 1.5)
    gaps, balances = figure.subplots(1, 2, sharey=True)
    for line, network in enumerate(found):
        rows = [row for row in _places(network["layers"][0]) if row["name"] != "turn 270"]
        gaps.plot([row["gap"] for row in rows], [line] * len(rows), "o", color=BLUE, alpha=0.65, markersize=5)
        balances.plot([row["rho"] for row in rows], [line] * len(rows), "o", color=BLUE, alpha=0.65, markersize=5)
        references = sorted({row["smooth_reference"] for row in rows})
        balances.plot(references, [line] * len(references), "|", color=ORANGE, markersize=11, markeredgewidth=2)
    gaps.axvline(TWINS_NEED, color=SOFT, linewidth=0.8, linestyle=(0, (3, 3)))
    balances.axvline(1, color=SOFT, linewidth=0.8, linestyle=(0, (3, 3)))
    plain(gaps, f"gap in nats; twins need {TWINS_NEED:g}")
    plain(balances, "rho; orange: operators as smooth")
    gaps.set_yticks(range(len(found)), [network["name"] for network in found])
    gaps.invert_yaxis()
    caption(
        figure,
        "First layers. Each dot is a turn, flip or transposition. Left: how much nearer the nearest filter is to a "
        "copy, beyond its rank. Right: how far the second moment of filters is from its image; 1 by chance.",
    )
    return figure


FIGURES = {"results/figures/inspect.png": first_layers}
