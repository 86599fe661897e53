"""The tables and the figure of docs/evidence/networks.md."""

from functools import partial
from statistics import mean, stdev

from matplotlib.figure import Figure

from lgn.stats import student_interval
from studies.render import NotMeasured, Results
from studies.tables import Columns, Record, Table, distinct, error_percent, number, plus_minus, table, where

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
OPEN = 0.5  # the value from which a gate is open


def whole(results: Results) -> list[Record]:
    """The trainings on whole images, in the order of the tables."""
    if not (found := where(results.cells(), small=False)):
        raise NotMeasured("networks.json")
    return sorted(found, key=_place)


def _place(row: Record) -> tuple[int, int, bool, int, int]:
    places = list(TITLES).index(row["data"]), METHODS.index(row["method"])
    return places[0], -row["images"], row["augmented"], places[1], row["seed"]


def _title(row: Record) -> str:
    return f"{TITLES[row['data']]}, {row['images']:,}" + (", augmented" if row["augmented"] else "")


def compared(results: Results) -> Table:
    columns: Columns = {
        "images": ("first", _title),
        "method": "{method}",
        "group": ("distinct", "group"),
        "test error, %": ("mean, sd", error_percent, ".2f"),
        "seeds": number,
        "parameters": ("mean", "parameters", ",.0f"),
        "equivariance error": ("most", "equivariance_error", ".2g", "not measured"),
        "ms a step": ("least", lambda row: 1000 * row["step_seconds"], ".0f"),
    }
    return table(whole(results), (_title, "method"), columns)


def paired(found: list[Record], one: str, other: str) -> list[float]:
    """Differences of accuracy in points, over the seeds that both methods have."""
    by_seed = {name: {row["seed"]: row["accuracy"] for row in where(found, method=name)} for name in (one, other)}
    both = sorted(by_seed[one].keys() & by_seed[other].keys())
    return [100 * (by_seed[one][seed] - by_seed[other][seed]) for seed in both]


def differences(results: Results) -> Table:
    """The gain of a given group over free filters, and over the same group found, on rotated MNIST."""
    found = where(whole(results), data="rotated-mnist", augmented=False)
    lines = []
    for images in sorted(distinct(found, "images")):
        rows = where(found, images=images)
        for one, other in (("given", "free"), ("given", "found")):
            if gains := paired(rows, one, other):
                lines.append([f"{images:,}", f"{one} less {other}", plus_minus(gains), str(len(gains))])
    return Table(["images", "", "points of accuracy", "paired seeds"], lines)


def groups_found(results: Results) -> Table:
    columns: Columns = {
        "images": ("first", _title),
        "group found, by seeds": (
            "counts",
            lambda row: row["found"] + (" (every turn):" if row["continuous"] else ":"),
        ),
        "network that it leads to": ("distinct", "group"),
    }
    return table(where(whole(results), method="found"), _title, columns)


def _partial(results: Results) -> list[Record]:
    found = sorted(results.cells("partial"), key=_place)
    return sorted(found, key=lambda row: list(WITHIN).index(row["data"]))


def gates(results: Results) -> Table:
    def gate(place: int, group: list[Record]) -> str:
        found = [row["gates"][place] for row in group]
        opened = sum(value > OPEN for value in found)
        return f"{mean(found):.2f} ({min(found):.2f} to {max(found):.2f}), open in {opened}"

    columns: dict[str, object] = {
        "digits": ("first", lambda row: WITHIN[row["data"]]),
        "seeds": ("distinct", "seed"),
    }
    columns |= {f"{45 * place} degrees": partial(gate, place) for place in range(1, 5)}
    return table(where(_partial(results), method="gated"), "data", columns)  # type: ignore[arg-type]


def gated(results: Results) -> Table:
    names = {"gated": "gated C8", "given": "the whole of C8", "free": "free filters"}
    columns: Columns = {
        "digits": ("first", lambda row: WITHIN[row["data"]]),
        "network": ("first", lambda row: names[row["method"]]),
        "test error, %": ("mean, sd", error_percent, ".2f"),
        "seeds": ("distinct", "seed"),
        "parameters": ("mean", "parameters", ",.0f"),
    }
    return table(_partial(results), ("data", "method"), columns)


def _trained(results: Results) -> list[Record]:
    return sorted(results.cells("trained"), key=lambda row: (row["images"], row["method"], row["seed"]))


def trained(results: Results) -> Table:
    columns: Columns = {
        "images": "{images:,}",
        "generators": "{method}",
        "test error, %": ("mean, sd", error_percent, ".2f"),
        "seeds": number,
        "equivariance error": ("mean", "equivariance_error", ".3f"),
        "moved": ("range", "moved", ".3f", "0"),
    }
    return table(_trained(results), ("images", "method"), columns)


def trained_gains(results: Results) -> Table:
    """The gain of trained over frozen generators, with Student's interval."""
    lines = []
    for images in distinct(_trained(results), "images"):
        gains = paired(where(_trained(results), images=images), "trained", "given")
        if len(gains) > 1:
            _, low, high = student_interval(gains)
            verdict = "no difference is shown" if low <= 0 <= high else "a gain" if low > 0 else "a loss"
            lines.append([f"{images:,}", str(len(gains)), f"{mean(gains):+.2f} ± {stdev(gains):.2f}", verdict])
    return Table(["images", "paired seeds", "trained less frozen, points", ""], lines)


def test_errors(results: Results) -> Figure:
    """The test error on rotated MNIST against the number of training images, a line for each method."""
    figure = Figure(figsize=(5.5, 3.6), layout="constrained")
    axes = figure.subplots()
    chosen = where(whole(results), data="rotated-mnist", augmented=False)
    for method in METHODS:
        rows = where(chosen, method=method)
        if counts := sorted(distinct(rows, "images")):
            errors = [[error_percent(row) for row in where(rows, images=count)] for count in counts]
            spreads = [stdev(found) if len(found) > 1 else 0.0 for found in errors]
            line = "o--" if method == "found" else "o-"
            axes.errorbar(counts, [mean(found) for found in errors], spreads, fmt=line, capsize=3, label=method)
    axes.set(xscale="log", yscale="log", xlabel="training images", ylabel="test error, %")
    axes.set_title("Rotated MNIST, 25,000 parameters")
    counts = sorted(distinct(chosen, "images"))
    axes.set_xticks(counts, [f"{n:,}" for n in counts])
    axes.set_yticks(ticks := [1, 2, 5, 10, 20, 50], [str(tick) for tick in ticks])
    axes.minorticks_off()
    axes.legend()
    return figure


TABLES = {
    "compared": compared,
    "differences": differences,
    "found": groups_found,
    "gates": gates,
    "gated": gated,
    "trained": trained,
    "trained-gains": trained_gains,
}
FIGURES = {"docs/images/networks.png": test_errors}
