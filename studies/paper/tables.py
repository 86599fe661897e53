"""The tables of the evidence pages on the paper: reproduction, structures and claims."""

from collections.abc import Iterator
from functools import partial
from statistics import mean

from studies.render import Maker, Results
from studies.tables import Record, Table, estimate, where

PLANTED = {"whole": "the matrix has it", "through filters": "the filters have it"}


def claims(results: Results) -> list[Record]:
    return results.stored("claims")["claims"]


def verdicts(results: Results) -> Iterator[Record]:
    """A record for each verdict, which has an entry with the name of the verdict."""
    for settings, key in (("`paper`", "verdict"), ("`released`", "released")):
        for claim in claims(results):
            if verdict := claim[key]:
                yield {"settings": settings, "verdict": verdict, verdict: True}


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


def differences(results: Results) -> Iterator[Record]:
    """A record for each run of each setting, after the last epoch."""
    for sample in results.stored("differences")["samples"]:
        runs = zip(sample["accuracy"], sample["conditions"], sample["filters"], sample["toeplitz_on_u"], strict=True)
        for accuracy, conditions, filters, on_u in runs:
            last = {**filters[-1], "norm": max(filters[-1]["norms"]), "condition": conditions[-1]}
            yield {"data": sample["data"], "name": sample["name"], "accuracy": accuracy, **last, "on_u": on_u}


def less_preset(results: Results) -> Iterator[Record]:
    for change in results.stored("differences")["less preset"]:
        numbers = {name: of for name, of in change.items() if isinstance(of, dict)}
        yield {**change, **{name: estimate(of["mean"], of["low"], of["high"]) for name, of in numbers.items()}}


def smoothness(results: Results) -> list[Record]:
    """Rank correlation, over settings, of the smoothness of filters with the share of Toeplitz generators."""
    measured = results.stored("differences")
    return [{**measured, "settings": len(where(measured["samples"], data=measured["samples"][0]["data"]))}]


def shares(study: str, results: Results, data: str | None = None) -> Iterator[Record]:
    """A record for each run, with the shares of generators by structure and nulls."""
    measured = results.stored(study)
    for sample in [*measured["samples"], *measured.get("controls", [])]:
        for run in range(sample["runs"] if data in (None, sample["data"]) else 0):
            by_nulls = {name: {way: of[run] for way, of in ways.items()} for name, ways in sample["shares"].items()}
            yield {"data": sample["data"], "name": sample["name"], **by_nulls}


def nulls(results: Results) -> list[Record]:
    measured = results.stored("structures")
    keeping = [null for null in measured["nulls"] if null not in measured["white"]]
    return [{"white": ", ".join(measured["white"]), "keeping": ", ".join(keeping)}]


def left_over(results: Results) -> Iterator[Record]:
    for sample in results.stored("structures")["samples"]:
        under_all = {name: of["all nulls"] for name, of in sample["shares"].items()}
        yield {**sample, "left": _largest(under_all), "undecided": _largest(sample["undecided"])}


def _largest(shares: dict[str, list[float]]) -> str:
    share, name = max(((mean(of), name) for name, of in shares.items()), key=lambda item: item[0])
    return f"{share:.2f}, {name}" if share > 0 else "none"


def planted(results: Results) -> Iterator[Record]:
    for sample in results.stored("structures")["planted"]:
        for run in sample["shares"]:
            yield from ({**sample, "way": text, **run[way]} for way, text in PLANTED.items())


def repeated(results: Results) -> Iterator[Record]:
    """A record for each run: cosines of filters one step apart, two steps apart, ..."""
    for sample in results.stored("structures")["repeated"]:
        steps = (zip(*sample[place], strict=True) for place in ("in a set", "between sets"))
        for inside, between in zip(*steps, strict=True):
            yield {"data": sample["data"], "name": sample["name"], "inside": inside, "between": between}


def penalty_times(results: Results) -> Iterator[Record]:
    for name, ratio in results.stored("runtime")["ratios"].items():
        yield {"name": name.replace(": ", ", "), "ratio": ratio}


TABLES: dict[str, Maker] = {
    "verdicts": claims,
    "verdict-counts": verdicts,
    "details": details,
    "differences": differences,
    "less-preset": less_preset,
    "smoothness": smoothness,
    "difference-shares": partial(shares, "differences"),
    "structures-cifar10": partial(shares, "structures", data="CIFAR-10"),
    "structures-mnist": partial(shares, "structures", data="MNIST"),
    "nulls": nulls,
    "left-over": left_over,
    "planted": planted,
    "repeated": repeated,
    "penalty-times": penalty_times,
}
