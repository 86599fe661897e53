"""What the benchmark found, as tables for people and as `docs/symmetry.md`."""

import textwrap
from typing import Any

from lgn.stats import clopper_pearson
from lgn.text import markdown_table
from studies.symmetry.part_tables import TABLES
from studies.symmetry.parts import MODULES

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
            texts.append(f"{head}\n\n{TABLES[part](chosen)}\n\n{said}")
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
