"""The tables of the evidence pages on the paper: reproduction, structures and claims."""

from collections import Counter
from functools import partial
from statistics import geometric_mean, mean
from typing import Any

from studies.render import Maker, Results
from studies.tables import Column, Columns, Record, Table, estimate, plus_minus, table, where

VERDICTS = ("holds", "holds in part", "not seen", "not tested")
PLANTED = {"whole": "the matrix has it", "through filters": "the filters have it"}
STEPS = ("one apart", "two apart", "three apart", "four apart", "five apart")


def claims(results: Results) -> list[Record]:
    return results.stored("claims")["claims"]


def verdict_counts(results: Results) -> Table:
    rows = []
    for settings, key in (("`paper`", "verdict"), ("`released`", "released")):
        counted = Counter(claim[key] for claim in claims(results) if claim[key])
        rows.append([settings, str(counted.total()), *(str(counted[verdict]) for verdict in VERDICTS)])
    return Table(["settings", "claims", *VERDICTS], rows)


def details(results: Results) -> str:
    """A section for each claim: effect, chance, further numbers and tables."""
    return "\n\n".join(_section(claim) for claim in claims(results))


def _section(claim: Record) -> str:
    lines = [f"## {claim['number']}. {claim['claim']}", ""]
    lines += [f"**{claim['verdict']}** (measured on: {claim['runs']})", "", f"- effect: {claim['effect']}"]
    lines += [f"- chance: {claim['null']}"] if claim["null"] else []
    lines += [f"- {detail}" for detail in claim["details"]]
    tables = [f"\n{entry['title']}\n\n{Table(entry['heads'], entry['rows'])}" for entry in claim["tables"]]
    return "\n".join([*lines, *tables])


def _last(name: str) -> Any:

    def of_run(epochs: list[Record]) -> float:
        value = epochs[-1][name]
        return max(value) if isinstance(value, list) else value

    return lambda sample: [of_run(epochs) for epochs in sample["filters"]]


def _over_runs(of: Any, form: str = ".2f") -> Column:
    return lambda samples: plus_minus(of(samples[0]), form)


def _conditions(samples: list[Record]) -> str:
    return f"{geometric_mean(epochs[-1] for epochs in samples[0]['conditions']):.2g}"


def differences(results: Results) -> Table:
    columns = _sample_columns() | {
        "test accuracy, %": _over_runs(lambda sample: [100 * value for value in sample["accuracy"]]),
        "step times squared norm": _conditions,
        "norm of bases": _over_runs(_last("norms"), ".3g"),
        "of generators": _over_runs(_last("generator_norm"), ".3g"),
        "smoothness": _over_runs(_last("smoothness")),
        "Toeplitz on U, white nulls": _over_runs(lambda sample: sample["toeplitz_on_u"]),
    }
    return table(results.stored("differences")["samples"], ("data", "name"), columns)


def _sample_columns() -> dict[str, Column]:
    return {"data": "{data}", "": "{name}", "runs": "{runs}"}


def less_preset(results: Results) -> Table:
    changes = results.stored("differences")["less preset"]
    names = [name for name in changes[0] if name not in ("data", "name")]
    columns: Columns = {"data": "{data}", "": "{name}", **{name: partial(_estimate, name) for name in names}}
    return table(changes, ("data", "name"), columns)


def _estimate(name: str, changes: list[Record]) -> str:
    return estimate(*(changes[0][name][entry] for entry in ("mean", "low", "high")))


def smoothness(results: Results) -> Table:
    """Rank correlation, over settings, of the smoothness of filters with the share of Toeplitz generators."""
    measured = results.stored("differences")
    count = len(where(measured["samples"], data=measured["samples"][0]["data"]))
    whole, on_u = (measured[f"smoothness_and_toeplitz{ending}"] for ending in ("", "_on_u"))
    return Table(["settings", "rank correlation", "on U alone"], [[str(count), f"{whole:.2f}", f"{on_u:.2f}"]])


def _share_columns(samples: list[Record]) -> dict[str, Column]:

    def share(name: str, group: list[Record]) -> str:
        found = group[0]["shares"][name]
        return f"{mean(found['white nulls']):.2f} → {mean(found['all nulls']):.2f}"

    return {name: partial(share, name) for name in samples[0]["shares"]}


def difference_shares(results: Results) -> Table:
    measured = results.stored("differences")
    samples = [*measured["samples"], *measured["controls"]]
    return table(samples, ("data", "name"), _sample_columns() | _share_columns(samples))


def structures(data: str, results: Results) -> Table:
    samples = where(results.stored("structures")["samples"], data=data)
    columns = {"": "{name}", "runs": "{runs}"} | _share_columns(samples)
    return table(samples, "name", columns)


def nulls(results: Results) -> Table:
    measured = results.stored("structures")
    keeping = [null for null in measured["nulls"] if null not in measured["white"]]
    return Table(["white nulls", "nulls that keep smoothness"], [[", ".join(measured["white"]), ", ".join(keeping)]])


def left_over(results: Results) -> Table:
    rows = []
    for sample in results.stored("structures")["samples"]:
        under_all = {name: mean(share["all nulls"]) for name, share in sample["shares"].items()}
        undecided = {name: mean(share) for name, share in sample["undecided"].items()}
        rows.append([sample["data"], sample["name"], _largest(under_all), _largest(undecided)])
    return Table(["data", "", "largest share under all nulls", "largest undecided share"], rows)


def _largest(shares: dict[str, float]) -> str:
    name, share = max(shares.items(), key=lambda item: item[1])
    return f"{share:.2f}, {name}" if share > 0 else "none"


def planted(results: Results) -> Table:
    found = [
        {**sample, "way": way, "runs": len(sample["shares"])}
        for sample in results.stored("structures")["planted"]
        for way in PLANTED
    ]

    def share(name: str, group: list[Record]) -> str:
        return f"{mean(run[group[0]['way']][name] for run in group[0]['shares']):.2f}"

    names = {name: partial(share, name) for name in found[0]["shares"][0]["whole"]}
    columns = _sample_columns() | {"planted so that": lambda samples: PLANTED[samples[0]["way"]]} | names
    return table(found, ("data", "name", "way"), columns)


def repeated(results: Results) -> Table:
    found = [{**sample, "runs": len(sample["in a set"][0])} for sample in results.stored("structures")["repeated"]]

    def step(place: int, group: list[Record]) -> str:
        return "; ".join(plus_minus(group[0][where][place]) for where in ("in a set", "between sets"))

    steps = {name: partial(step, place) for place, name in enumerate(STEPS[: len(found[0]["in a set"])])}
    return table(found, ("data", "name"), _sample_columns() | steps)


def penalty_times(results: Results) -> Table:
    ratios = results.stored("runtime")["ratios"]
    rows = [[name.replace(": ", ", "), f"{ratio:.2f}"] for name, ratio in ratios.items()]
    return Table(["penalty", "time of a step over that without a penalty"], rows)


TABLES: dict[str, Maker] = {
    "verdicts": claims,
    "verdict-counts": verdict_counts,
    "details": details,
    "differences": differences,
    "less-preset": less_preset,
    "smoothness": smoothness,
    "difference-shares": difference_shares,
    "structures-cifar10": partial(structures, "CIFAR-10"),
    "structures-mnist": partial(structures, "MNIST"),
    "nulls": nulls,
    "left-over": left_over,
    "planted": planted,
    "repeated": repeated,
    "penalty-times": penalty_times,
}
