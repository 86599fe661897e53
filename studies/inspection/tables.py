"""The tables of docs/evidence/inspection.md."""

from functools import partial
from pathlib import Path
from typing import Any

from studies.figures.inspected import inspected_networks
from studies.render import (
    NotMeasured,
    Record,
    Table,
    cells,
    first,
    named_by,
    rates,
    result,
    table,
    times,
)

NAME = "inspection"
MORE = ("others", "lookalikes", "largest gap", "members", "power", "opposite", "cosine")
name = named_by("kind", "input", without=())
TWINS_NEED = 0.25  # the gap that twins need, in nats
FALSE_CALLS = 0.05  # the share of all unrelated banks in which a group may be found


def part(which: str, results: Path) -> Table:
    return rates(cells(results, NAME, which), name, MORE)


def unrelated(results: Path) -> Table:
    """The rates of each family of unrelated banks, and of all together."""
    found = cells(results, NAME, "unrelated")
    every = rates([{**cell, "limit": FALSE_CALLS} for cell in found], lambda _: "all", MORE)
    by_family = rates(found, name, MORE)
    return Table(by_family.headings, [*by_family.rows, *every.rows])


def networks(results: Path) -> list[Record]:
    return result(results, "inspect")["networks"]


def layers(results: Path) -> Table:
    """The inspected layers of all networks."""
    found = [{**layer, "network": network} for network in networks(results) for layer in network["layers"]]
    columns = {
        "network": first(lambda layer: layer["network"]["name"]),
        "licence": first(lambda layer: layer["network"]["licence"]),
        "layer": first("name"),
        "filters": first(lambda layer: "x".join(map(str, layer["shape"]))),
        "twins": first(lambda layer: _group(layer["group"])),
        "gap": first(lambda layer: max((row["gap"] for row in _places(layer)), default=0), ".2f"),
        "balanced": first(lambda layer: _group(layer["balanced_group"])),
        "broken": first(_broken),
        "lookalikes": first(_lookalikes),
        "power": first("power", ".1f"),
    }
    return table(found, (lambda layer: layer["network"]["name"], "name"), columns)


def _places(layer: Record) -> list[Record]:
    return [row for row in layer["rows"] if row["kind"] == "place"]


def _broken(layer: Record) -> str:
    return ", ".join(row["name"] for row in _places(layer) if row["balance"] == "broken") or "nothing"


def _lookalikes(layer: Record) -> str:
    return "" if layer["lookalikes"] is None else f"{layer['lookalikes']} of {layer['filters']}"


def _group(group: dict[str, Any]) -> str:
    """The name of a group, with its elements where another group could have the same name."""
    if group["order"] == 1:
        return "none"
    return group["name"] if group["order"] == 8 else f"{group['name']} ({', '.join(group['elements'][1:])})"


def counted(results: Path) -> Table:
    """How many first layers of published networks, and layers of our own networks, have twins or are balanced."""
    rows = []
    for heading, detailed in (("published networks, first layers", True), ("networks of lgn, all layers", False)):
        found = [each for each in networks(results) if each["detailed"] == detailed]
        chosen = [layer for each in found for layer in (each["layers"][:1] if detailed else each["layers"])]
        twins, balanced = (sum(layer[key]["order"] > 1 for layer in chosen) for key in ("group", "balanced_group"))
        alike = sum(layer["lookalikes"] or 0 for layer in chosen) / max(1, sum(layer["filters"] for layer in chosen))
        rows.append([heading, str(len(chosen)), str(twins), str(balanced), f"{100 * alike:.0f} %"])
    return Table(["", "layers", "with twins", "balanced", "lookalikes"], rows)


def files(results: Path) -> Table:
    """Where each network comes from, the window of its filters, and what all of its layers come to."""
    found = [{**each, **each["layers"][0], **each} for each in networks(results) if each["detailed"]]

    def whole(name: str, form: str = "") -> Any:
        return first(lambda each: each["whole"][name] if "whole" in each else None, form)

    columns = {
        "network": first("name"),
        "package": first("package"),
        "off centre (down, right)": first(lambda each: "{:+.2f}, {:+.2f}".format(*each["off_centre"])),
        "rows, columns": first(lambda each: "{} to {}, {} to {}".format(*each["window"])),
        "dead, constant": first(lambda each: f"{len(each['dead'])}, {len(each['flat'])}"),
        "layers": whole("inspected"),
        "left alone": whole("left_alone"),
        "with twins": whole("with_twins"),
        "balanced": whole("balanced"),
        "carried on, of pairs": first(
            lambda each: f"{each['whole']['carried']} of {each['whole']['pairs']}" if "whole" in each else None
        ),
        "seconds": whole("processor_seconds", ".0f"),
        "MB": whole("megabytes", ",.0f"),
    }
    return table(found, "name", columns)


def first_layer(network: str, results: Path) -> Table:
    """Every transformation of the first layer of a published network."""
    found = [each for each in networks(results) if each["name"] == network]
    if not found:
        raise NotMeasured(network)
    references = {"rho": "rho", "as smooth": "smooth_reference", "in rings": "ring_reference"}
    columns = {
        "": first("name"),
        "twins": first(lambda row: "yes" if row["twins"] else "no"),
        "p, corrected": first("p_value", ".2g"),
        "p, twist": first("p_twist", ".2g"),
        "p, gap": first("p_gap", ".2g"),
        "gap": first("gap", ".2f"),
        "alike": first("alike"),
        "by chance": first("alike_by_chance", ".1f"),
        "self-symmetric": first("self_symmetric"),
        "balance": first("balance"),
        **{heading: first(entry, ".2f") for heading, entry in references.items()},
    }
    return table(found[0]["layers"][0]["rows"], "name", columns)


PUBLISHED = {
    "open-nsfw": "open_nsfw",
    "dlib": "dlib faces",
    "res10": "res10 faces",
    "imgsim": "imgsim",
    "alexnet": "stlpips, AlexNet",
    "vgg": "stlpips, VGG",
}
TABLES = (
    {"unrelated": unrelated, "layers": layers, "counted": counted, "files": files, "time": times(NAME)}
    | {which: partial(part, which) for which in ("orbits", "balance", "following")}
    | {short: partial(first_layer, network) for short, network in PUBLISHED.items()}
)
FIGURES = {"results/figures/inspect.png": lambda results: inspected_networks(networks(results), TWINS_NEED)}
