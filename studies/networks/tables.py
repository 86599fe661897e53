"""The tables and the figure of docs/evidence/networks.md."""

from functools import partial
from statistics import mean, stdev

from matplotlib.figure import Figure

from lgn.stats import student_interval
from studies.render import Maker, NotMeasured, Results
from studies.tables import Columns, Record, Table, distinct, plus_minus, table, where

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
NETWORKS = {"gated": "gated C8", "given": "the whole of C8", "free": "free filters"}
OPEN = 0.5  # the value from which a gate is open


def whole(results: Results, method: str = "") -> list[Record]:
    rows = [row for row in _described(results.cells()) if not row["small"] and method in ("", row["method"])]
    if not rows:
        raise NotMeasured("networks.json")
    return sorted(rows, key=_place)


def _described(cells: list[Record]) -> list[Record]:
    return [
        {
            **row,
            "title": f"{TITLES[row['data']]}, {row['images']:,}" + (", augmented" if row["augmented"] else ""),
            "test_error": 100 * (1 - row["accuracy"]),
            "milliseconds": 1000 * row["step_seconds"],
            "name": row.get("found", "") + (" (every turn):" if row.get("continuous") else ":"),
            "digits": WITHIN.get(row["data"]),
            "network": NETWORKS.get(row["method"]),
        }
        for row in cells
    ]


def _place(row: Record) -> tuple[int, int, bool, int, int]:
    data, method = list(TITLES).index(row["data"]), METHODS.index(row["method"])
    return data, -row["images"], row["augmented"], method, row["seed"]


def paired(found: list[Record], one: str, other: str) -> list[float]:
    """Differences of accuracy in points, over the seeds that both methods have."""
    by_seed = {name: {row["seed"]: row["accuracy"] for row in where(found, method=name)} for name in (one, other)}
    both = sorted(by_seed[one].keys() & by_seed[other].keys())
    return [100 * (by_seed[one][seed] - by_seed[other][seed]) for seed in both]


def differences(results: Results) -> Table:
    found = where(whole(results), data="rotated-mnist", augmented=False)
    lines = []
    for images in sorted(distinct(found, "images")):
        rows = where(found, images=images)
        for one, other in (("given", "free"), ("given", "found")):
            if gains := paired(rows, one, other):
                lines.append([f"{images:,}", f"{one} less {other}", plus_minus(gains), str(len(gains))])
    return Table(["images", "", "points of accuracy", "paired seeds"], lines)


def gated(results: Results) -> list[Record]:
    return sorted(_described(results.cells("partial")), key=lambda row: (list(WITHIN).index(row["data"]), _place(row)))


def gates(results: Results) -> Table:
    def gate(place: int, group: list[Record]) -> str:
        found = [row["gates"][place] for row in group]
        opened = sum(value > OPEN for value in found)
        return f"{mean(found):.2f} ({min(found):.2f} to {max(found):.2f}), open in {opened}"

    columns: Columns = {"digits": "{digits}", "seeds": "{distinct seed}"}
    angles: Columns = {f"{45 * place} degrees": partial(gate, place) for place in range(1, 5)}
    return table(where(gated(results), method="gated"), "data", {**columns, **angles})


def trained(results: Results) -> list[Record]:
    rows = _described(results.cells("trained"))
    return sorted(rows, key=lambda row: (row["images"], row["method"], row["seed"]))


def trained_gains(results: Results) -> Table:
    """The gain of trained over frozen generators, with Student's interval."""
    lines = []
    for images in distinct(trained(results), "images"):
        gains = paired(where(trained(results), images=images), "trained", "given")
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
            errors = [[row["test_error"] for row in where(rows, images=count)] for count in counts]
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


TABLES: dict[str, Maker] = {
    "compared": whole,
    "differences": differences,
    "found": partial(whole, method="found"),
    "gates": gates,
    "gated": gated,
    "trained": trained,
    "trained-gains": trained_gains,
}
FIGURES = {"docs/images/networks.png": test_errors}
