"""docs/structures.md: the paper's structures under both kinds of nulls, in networks and in controls."""

from pathlib import Path
from statistics import mean
from typing import Any

from lgn.files import read_json
from lgn.text import markdown_table
from studies.tables import plus_minus


def structures(results: Path) -> str:
    """Shares of generators with each structure: the figure, a table for each data set, and what they come to."""
    path = results / "structures.json"
    if not path.is_file():
        return "Not measured on the full data yet."
    measured = read_json(path)
    keeping = [null for null in measured["nulls"] if null not in measured["white"]]
    words = (
        f"White nulls: {', '.join(measured['white'])}. Nulls that keep smoothness: {', '.join(keeping) or 'none yet'}."
    )
    figure = "![Shares of generators, under white nulls and under all](../results/figures/structures.png)"
    texts = [figure, words]
    for data, samples in _by_data(measured).items():
        names = list(samples[0]["shares"])
        rows = [
            [each["name"], str(each["runs"]), *(white_and_all(each["shares"][name]) for name in names)]
            for each in samples
        ]
        head = f"**{data}**: share of generators, under white nulls → under all nulls, means over runs."
        texts.append(f"{head}\n\n{markdown_table(['', 'runs', *names], rows)}")
    return "\n\n".join([*texts, _what_is_left(measured), *_would_be_found(measured), *_repeated(measured)])


def _would_be_found(measured: dict[str, Any]) -> list[str]:
    """What is found of structures that were planted in the networks, by how they were."""
    planted = measured["planted"]
    if not planted:
        return []
    words = {"whole": "the matrix has it", "through filters": "the filters have it"}
    names = list(planted[0]["shares"][0]["whole"])
    rows = [
        [each["data"], each["name"], str(len(each["shares"])), said]
        + [f"{mean(shares[way][name] for shares in each['shares']):.2f}" for name in names]
        for each in planted
        for way, said in words.items()
    ]
    head = "**Would it be found?** Share of generators in which a structure that was planted is found, under all nulls."
    return [head, markdown_table(["data", "", "runs", "planted so that", *names], rows)]


def _repeated(measured: dict[str, Any]) -> list[str]:
    """How alike filters of a set are, beside those of two sets."""
    rows = [
        [each["data"], each["name"], str(len(each["in a set"][0]))]
        + [
            f"{plus_minus(own)}; {plus_minus(other)}"
            for own, other in zip(each["in a set"], each["between sets"], strict=True)
        ]
        for each in measured["repeated"]
    ]
    if not rows:
        return []
    steps = [f"{word} apart" for word in ("one", "two", "three", "four", "five")[: len(rows[0]) - 3]]
    head = "**What a set has in common**: the size of the cosine of filters, in a set; between two sets of a layer."
    return [head, markdown_table(["data", "", "runs", *steps], rows)]


def _by_data(measured: dict[str, Any]) -> dict[str, list[dict[str, Any]]]:
    samples: dict[str, list[dict[str, Any]]] = {}
    for each in measured["samples"]:
        samples.setdefault(each["data"], []).append(each)
    return samples


def white_and_all(share: dict[str, list[float]]) -> str:
    return f"{mean(share['white nulls']):.2f} → {mean(share['all nulls']):.2f}"


def _what_is_left(measured: dict[str, Any]) -> str:
    """A sentence for each preset and data set, and one on what is open."""
    lines = []
    for data, samples in _by_data(measured).items():
        by_name = {each["name"]: each for each in samples}
        for name in ("`paper`", "`released`"):
            if name in by_name:
                shares = {key: mean(value["all nulls"]) for key, value in by_name[name]["shares"].items()}
                left = [f"{key} {share:.2f}" for key, share in shares.items() if share > 0.05]
                lines.append(f"{data}, {name}: {', '.join(left) if left else 'nothing'}")
    most = max(
        (mean(values), f"{name} in {each['name']} ({each['data']})")
        for each in measured["samples"]
        for name, values in each["undecided"].items()
    )
    words = f"Under all nulls, in more than 0.05 of generators, which may be false: {'; '.join(lines)}."
    return words + (f" Undecided: at most {most[0]:.2f}, {most[1]}." if most[0] > 0 else " Nothing is left undecided.")
