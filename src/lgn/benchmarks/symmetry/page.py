"""What the benchmark found, as tables for people and as `docs/symmetry.md`."""

import textwrap
from statistics import mean
from typing import Any

from lgn.benchmarks.symmetry.parts import MODULES
from lgn.benchmarks.symmetry.sets import CASES
from lgn.benchmarks.tables import clopper_pearson
from lgn.markdown import markdown_table
from lgn.symmetry.verdict import LEVEL

Cells = list[dict[str, Any]]

#: The commit that fixed networks, statistic, control and thresholds: the cases of `later` were written after it.
FIXED = "6484ce5"

#: What rates of a part are called.
PARTS = {"": "images", "later: ": "later", "slight breaks: ": "slight", "angles: ": "angles", "few images: ": "few"}

PAGE = """# Symmetry: is what images keep found, and nothing else?

Made by `lgn benchmark symmetry` from `results/symmetry.json`. Every row goes through `lgn.symmetries`, as users call
it. *Told apart* is the share of right answers of an observer, the mean over seeds: 0.5 is chance.

{verdict}

Intervals are Clopper and Pearson's, as if rows were independent. Those of one image set share observers: a *set*, with
its seed, is the unit that is independent.

{tables}
"""

WORDS = {
    "images": """## Images with planted symmetries

{count} images each. *Right*: verdicts that are true; the others are named. Candidates of which nobody knows whether
they are kept (the left-right flip of CIFAR-10, and what contains it) are shown and not counted.""",
    "later": """## Image sets that were made later

As above; these cases were written after networks, statistic, control and thresholds were fixed (commit {fixed}).""",
    "slight": """## Slight breaks

Symmetric images, but for a share that breaks it, in the way of real images and by no pattern. The best observer would
tell the flips at more than 0.55. What counts is that they are never called kept; "undecided" is right too. That what is
kept must read less than half of the control was decided on such a set, with other draws.""",
    "angles": """## Turns by eighths

Versions are resampled, bicubically, all of them; as many images.""",
    "partial": """## Partial symmetries

*Within* is the range that was found, either way; *planted* the one that was made, none where images are as they were
(digits differ in slant and place by themselves) or turned by every angle.""",
    "left-right": """## The left-right flip of CIFAR-10

Nobody planted it. An observer of images and their mirror images learned from 20,000 train images, and judged all 10,000
test images; *control* is what a break of the margin reads.""",
    "tasks": """## One image set, two tasks

Turned digits, labelled by digit and by their turn.""",
    "few": """## Few images

"Undecided" is the answer where more images are needed; what counts is that nothing is wrong.""",
    "gains": """## A network's gain

A layer of orbits, pooled behind a hidden layer, against as many free filters that are pooled alike; 1,000 images to
learn from, five networks each, judged on 6,000 images that taught and chose nothing.""",
}


def page(result: dict[str, Any]) -> str:
    """The document of a measurement."""
    return PAGE.format(tables=describe(result), verdict=textwrap.fill(_asked(rates(result)), 118))


def describe(result: dict[str, Any]) -> str:
    """The rates, and the tables of all parts that were measured."""
    texts = [_rate_words(rates(result))]
    tables = {
        "images": _verdicts,
        "later": _verdicts,
        "slight": _verdicts,
        "angles": _verdicts,
        "few": _verdicts,
        "left-right": _left_right,
    }
    tables |= {"partial": _partial, "tasks": _tasks, "gains": _gains}
    for part, words in WORDS.items():
        chosen = [cell for cell in result["cells"] if cell["key"]["part"] == part]
        if chosen:
            count = f"{chosen[0].get('count', 0):,}"
            minutes = sum(cell["processor_seconds"] for cell in chosen) / 60
            head = words.replace("{count}", count).replace("{fixed}", FIXED)
            wanted = sum(1 for _ in MODULES[part].cells(result.get("quick", False), None))
            said = f"{len(chosen)} cells, {minutes:.1f} minutes of processor time."
            if len(chosen) < wanted:
                said += f" {wanted - len(chosen)} more are not measured yet: the same command goes on."
            texts.append(f"{head}\n\n{tables[part](chosen)}\n\n{said}")
    return "\n\n".join(texts)


def rates(result: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Counts, as (how many, of how many), over the rows whose truth is known; last the image sets, by seed, of a part.

    Where images are few, and breaks slight, undecided is right: what is found is not counted.
    """
    found: dict[str, tuple[int, int]] = {}
    for what, part in PARTS.items():
        cells = [cell for cell in result["cells"] if cell["key"]["part"] == part]
        rows = [row for cell in cells for row in cell["rows"]]
        kept, broken = ([row["verdict"] for row in rows if row["truth"] == word] for word in ("kept", "broken"))
        if rows:
            found[f"{what}false kept"] = (broken.count("kept"), len(broken))
            found[f"{what}false broken"] = (kept.count("broken"), len(kept))
            if part not in ("few", "slight"):
                found[f"{what}kept found"] = (kept.count("kept"), len(kept))
                found[f"{what}broken found"] = (broken.count("broken"), len(broken))
            wrong = sum(
                any({row["truth"], row["verdict"]} == {"kept", "broken"} for row in cell["rows"]) for cell in cells
            )
            found[f"{what}sets with a false verdict"] = (wrong, len(cells))
    return found


def _asked(found: dict[str, tuple[int, int]]) -> str:
    """What was asked of the verdicts at 10,000 images, and whether it is so."""
    said = []
    for what, name in (("", "planted symmetries"), ("later: ", "sets that were made later")):
        if f"{what}kept found" not in found:
            continue
        false_kept, false_broken, kept, broken = (
            found[f"{what}{rate}"] for rate in ("false kept", "false broken", "kept found", "broken found")
        )
        reached = [
            ("no false kept", false_kept[0] == 0, false_kept),
            ("false broken in at most 1 of 100", 100 * false_broken[0] <= false_broken[1], false_broken),
            ("kept found in at least 95 of 100", 100 * kept[0] >= 95 * kept[1], kept),
            ("broken found in at least 95 of 100", 100 * broken[0] >= 95 * broken[1], broken),
        ]
        words = [f"{rate}: {'yes' if so else '**no**'} ({n} of {total})" for rate, so, (n, total) in reached]
        said.append(f"Asked of {name}, of 10,000 images: {'; '.join(words)}.")
    return " ".join(said)


def _rate_words(found: dict[str, tuple[int, int]]) -> str:
    lines = [["", "rows", "share", "95 %"]]
    for name, (count, total) in found.items():
        if total:
            low, high = clopper_pearson(count, total)
            lines.append([name, f"{count} of {total}", f"{count / total:.3f}", f"{low:.3f} to {high:.3f}"])
    return markdown_table(lines[0], lines[1:])


def _verdicts(cells: Cells) -> str:
    lines = [["images", "candidates", "told apart", "rows", "right", "others"]]
    for name, some in _grouped(cells).items():
        for label, rows in _classed(some).items():
            known = [row for row in rows if row["truth"] is not None]
            right = sum(row["verdict"] == row["truth"] for row in known)
            others = sorted(
                {f"{row['name']} {row['verdict']}" for row in rows if row["truth"] not in (None, row["verdict"])}
            )
            told = mean(row["told_apart"] for row in rows)
            span = f"{told:.3f}"
            if not known:
                verdicts = [row["verdict"] for row in rows]
                others = [f"{word} {verdicts.count(word)}" for word in sorted(set(verdicts))]
            lines.append(
                [
                    name,
                    label,
                    span,
                    str(len(rows)),
                    f"{right} of {len(known)}" if known else "not counted",
                    "; ".join(others),
                ]
            )
    return markdown_table(lines[0], lines[1:])


def _grouped(cells: Cells) -> dict[str, Cells]:
    """By image set and count, in the order of the cases, whichever was measured first."""
    order = {name: place for place, name in enumerate(CASES)}
    groups: dict[str, Cells] = {}
    for cell in sorted(
        cells, key=lambda cell: (cell["key"].get("count", 0), order.get(cell["key"]["images"], 0), cell["key"]["seed"])
    ):
        count = f", {cell['key']['count']:,} images" if "count" in cell["key"] else ""
        groups.setdefault(cell["key"]["images"] + count, []).append(cell)
    return groups


def _classed(cells: Cells) -> dict[str, Cells]:
    """Rows by family and truth."""
    groups: dict[str, Cells] = {}
    for cell in cells:
        for row in cell["rows"]:
            truth = {"kept": "kept", "broken": "broken", None: "not known"}[row["truth"]]
            kind = row["family"]
            if kind == "turns and flips":
                kind = "turns" if row["name"].startswith("turn") else "flips"
            groups.setdefault(f"{kind}, {truth}", []).append(row)
    return groups


def _left_right(cells: Cells) -> str:
    lines = [["seed", "told apart", "interval", "control", "verdict"]]
    for cell in cells:
        row = cell["rows"][0]
        low, high = row["interval"]
        verdict = f"{row['verdict']}, a trace" if cell["trace"] else row["verdict"]
        control = cell["controls"]["turns and flips"]
        lines.append(
            [
                str(cell["key"]["seed"]),
                f"{row['told_apart']:.3f}",
                f"{low:.3f} to {high:.3f}",
                f"{control or '-'}",
                verdict,
            ]
        )
    return f"{markdown_table(lines[0], lines[1:])}\n\n{_trace(cells)}"


def _trace(cells: Cells) -> str:
    """Whether the seeds, which share the images that judge, show that there is something; and why verdicts differ."""
    rows = [cell["rows"][0] for cell in cells]
    least = min(len(rows) * min(row["p_value"] for row in rows), 1.0)
    told = mean(row["told_apart"] for row in rows)
    control = mean(cell["controls"]["turns and flips"] for cell in cells)
    real = "there is a trace" if least <= LEVEL else "a trace is not shown"
    words = (
        f"The smallest p-value, times the number of seeds, is {least:.2g}: {real}. Its size, {told - 0.5:.3f} beyond "
        f"one half, is {(told - 0.5) / (control - 0.5):.0%} of what a break of the margin reads here ({control:.3f}), "
        "near the half of it below which a trace is called kept: so which of the two words is said is a matter of the "
        "draw. The sentence of an answer says of such a break that it is faint."
    )
    return textwrap.fill(words, 118)


def _partial(cells: Cells) -> str:
    lines = [["images", "along", "seed", "told apart", "within", "planted"]]
    for cell in cells:
        for line, found in cell["lines"].items():
            told = f"{found['told_apart'][0]:.3f} to {found['told_apart'][-1]:.3f}"
            ends = ["-" if end is None else f"{end:.3g}" for end in (found["within"], cell["planted"])]
            lines.append([cell["key"]["images"], line, str(cell["key"]["seed"]), told, *ends])
    return markdown_table(lines[0], lines[1:])


def _tasks(cells: Cells) -> str:
    lines = [["task", "seed", "", "images", "labels", "accuracy on x, on T x", "permutation"]]
    for cell in cells:
        for row in cell["rows"]:
            accuracy = "-" if row["accuracy"] is None else f"{row['accuracy']:.3f}, {row['transformed']:.3f}"
            lines.append(
                [
                    cell["key"]["task"],
                    str(cell["key"]["seed"]),
                    row["name"],
                    row["verdict"],
                    row["labels"] or "-",
                    accuracy,
                    " ".join(map(str, row["permutation"])) or "-",
                ]
            )
    return markdown_table(lines[0], lines[1:])


def _gains(cells: Cells) -> str:
    lines = [["images", "orbits of", "seed", "points", "claimed", "wanted"]]
    for cell in cells:
        key = cell["key"]
        lines.append(
            [
                key["images"],
                key["candidate"],
                str(key["seed"]),
                f"{cell['points']:+.2f} +- {cell['error']:.2f}",
                "yes" if cell["claimed"] else "no",
                "yes" if cell["wanted"] else "no",
            ]
        )
    return markdown_table(lines[0], lines[1:])
