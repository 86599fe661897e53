"""The tables of docs/evidence/networks.md."""

from functools import partial
from pathlib import Path
from statistics import mean, stdev

from lgn.stats import student_interval
from studies.figures.networks import test_errors
from studies.render import (
    NotMeasured,
    Record,
    Table,
    average,
    counts,
    distinct,
    error_percent,
    first,
    largest,
    listed,
    mean_sd,
    number,
    plus_minus,
    result,
    smallest,
    span,
    table,
    where,
)

TITLES = {
    "rotated-mnist": "Rotated MNIST",
    "rotated-mnist-90": "MNIST turned by quarters",
    "rotated-mnist-45": "MNIST turned within 45 degrees",
    "flipped-cifar10": "CIFAR-10 with random flips",
    "mnist": "Upright MNIST (no symmetry: the control)",
    "digits": "Digits",
}
METHODS = ("free", "given", "found", "paper", "gated", "trained")
WITHIN = {"rotated-mnist-45": "turned within 45 degrees", "rotated-mnist": "turned by any angle", "mnist": "upright"}
#: Networks on small images answer two questions: 4,000 images are for gates, other numbers for trained generators.
GATED_IMAGES = 4000
CHOSEN_BY = 100  # the seed by which the settings of gates were chosen: its rows are not counted
OPEN = 0.5  # the value from which a gate is open


def rows(results: Path, small: bool = False) -> list[Record]:
    """The trainings on whole or on small images, in the order of the tables."""
    found = [row for row in result(results, "networks")["rows"] if row.get("small", False) == small]
    if not found:
        raise NotMeasured("networks.json")
    return sorted(found, key=_place)


def _place(row: Record) -> tuple[int, int, bool, int, int]:
    places = list(TITLES).index(row["data"]), METHODS.index(row["method"])
    return places[0], -row["images"], row["augmented"], places[1], row["seed"]


def _title(row: Record) -> str:
    return f"{TITLES[row['data']]}, {row['images']:,}" + (", augmented" if row["augmented"] else "")


def compared(results: Path) -> Table:
    columns = {
        "images": first(_title),
        "method": first("method"),
        "group": listed("group"),
        "test error, %": mean_sd(error_percent),
        "seeds": number,
        "parameters": average("parameters", ",.0f"),
        "equivariance error": largest("equivariance_error", ".2g", "not measured"),
        "ms a step": smallest(lambda row: 1000 * row["step_seconds"], ".0f"),
    }
    return table(rows(results), (_title, "method"), columns)


def paired(found: list[Record], one: str, other: str) -> list[float]:
    """Differences of accuracy in points, over the seeds that both methods have."""
    by_seed = {name: {row["seed"]: row["accuracy"] for row in where(found, method=name)} for name in (one, other)}
    both = sorted(by_seed[one].keys() & by_seed[other].keys())
    return [100 * (by_seed[one][seed] - by_seed[other][seed]) for seed in both]


def differences(results: Path) -> Table:
    """What a given group gains over free filters, and loses by being found instead, on rotated MNIST."""
    found = where(rows(results), data="rotated-mnist", augmented=False)
    lines = []
    for images in sorted(distinct(found, "images")):
        some = where(found, images=images)
        for one, other in (("given", "free"), ("given", "found")):
            if gains := paired(some, one, other):
                lines.append([f"{images:,}", f"{one} less {other}", plus_minus(gains), str(len(gains))])
    return Table(["images", "", "points of accuracy", "paired seeds"], lines)


def groups_found(results: Path) -> Table:
    columns = {
        "images": first(_title),
        "group found, by seeds": counts(lambda row: row["found"] + (" (every turn):" if row["continuous"] else ":")),
        "network that it leads to": listed("group"),
    }
    return table(where(rows(results), method="found"), _title, columns)


def _partial(results: Path) -> list[Record]:
    found = [row for row in rows(results, small=True) if row["images"] == GATED_IMAGES and row["seed"] != CHOSEN_BY]
    return sorted(found, key=lambda row: list(WITHIN).index(row["data"]))


def gates(results: Path) -> Table:
    def gate(place: int, group: list[Record]) -> str:
        found = [row["gates"][place] for row in group]
        opened = sum(value > OPEN for value in found)
        return f"{mean(found):.2f} ({min(found):.2f} to {max(found):.2f}), open in {opened}"

    columns = {"digits": first(lambda row: WITHIN[row["data"]]), "seeds": listed("seed")}
    for place in range(1, 5):
        columns[f"{45 * place} degrees"] = partial(gate, place)
    return table(where(_partial(results), method="gated"), "data", columns)


def gated(results: Path) -> Table:
    names = {"gated": "gated C8", "given": "the whole of C8", "free": "free filters"}
    columns = {
        "digits": first(lambda row: WITHIN[row["data"]]),
        "network": first(lambda row: names[row["method"]]),
        "test error, %": mean_sd(error_percent),
        "seeds": listed("seed"),
        "parameters": average("parameters", ",.0f"),
    }
    return table(_partial(results), ("data", "method"), columns)


def _trained(results: Path) -> list[Record]:
    found = [row for row in rows(results, small=True) if row["images"] != GATED_IMAGES]
    return sorted(found, key=lambda row: (row["images"], row["method"], row["seed"]))


def trained(results: Path) -> Table:
    columns = {
        "images": first("images", ","),
        "generators": first("method"),
        "test error, %": mean_sd(error_percent),
        "seeds": number,
        "equivariance error": average("equivariance_error"),
        "moved": span("moved", ".3f", "0"),
    }
    return table(_trained(results), ("images", "method"), columns)


def trained_gains(results: Path) -> Table:
    """The gain of trained over frozen generators, with Student's interval."""
    lines = []
    for images in distinct(_trained(results), "images"):
        gains = paired(where(_trained(results), images=images), "trained", "given")
        if len(gains) > 1:
            _, low, high = student_interval(gains)
            verdict = "no difference is shown" if low <= 0 <= high else "a gain" if low > 0 else "a loss"
            lines.append([f"{images:,}", str(len(gains)), f"{mean(gains):+.2f} ± {stdev(gains):.2f}", verdict])
    return Table(["images", "paired seeds", "trained less frozen, points", ""], lines)


TABLES = {
    "compared": compared,
    "differences": differences,
    "found": groups_found,
    "gates": gates,
    "gated": gated,
    "trained": trained,
    "trained-gains": trained_gains,
}
FIGURES = {"docs/images/networks.png": lambda results: test_errors(rows(results), METHODS)}
