"""Two questions that small networks answer: groups that hold in part, and generators that go on learning."""

from itertools import groupby
from statistics import mean, stdev
from typing import Any

from lgn.nn.gates import OPEN
from lgn.stats import student_interval
from lgn.text import markdown_table
from studies.networks.cases import IN_PART, PARAMETERS, SIDE, TRAINED_ON

Rows = list[dict[str, Any]]

GATES = """## Groups that hold in part: gates

`GroupNet(..., gates=True)` learns over which range of turns to pool; the gate of an element is the probability that the
range has it, and those above one half are open (`lgn.nn.Gates`). All ranges start alike, so gates of C8 start at 0.8,
0.6, 0.4 and 0.2. `lgn build` takes gates where images keep turns within a range alone. Here: {images:,} images of
{side}x{side}, {parameters:,} parameters, C8, {epochs} epochs, no augmentation. How gates learn was settled with seed
100, on which earlier ways failed: a mixture of answers instead of the loss to be expected, with gates that learn from
the first step (all opened, whatever the images), and a gate for each element by itself (135 degrees opened where images
keep 45); with seed 0 a price for wide ranges failed (it closed 180 degrees on digits turned by any angle). Seeds 1 to 5
judge: `lgn benchmark networks --parts partial --out results/networks.json`. **{judged}** Upright digits slant by some
degrees by themselves ([partial symmetries](symmetry.md#partial-symmetries)): their gate of 45 degrees ends near a half,
and does not close."""

TRAINED = """## Found and trained on

*given* has generators that are what images keep, frozen; *trained* begins with the same and goes on learning, one
generator for all layers, at a tenth of the rate (`generator="cyclic", share="network", start="group"`). Relations hold
for ever; what may move is how the group acts on filters. *Moved* is how far it is from its start, relatively. Small
networks again, {epochs}. Made by `lgn benchmark networks --parts trained --out results/networks.json`."""

SETTLED = 100  # the seed by which the way that gates learn was chosen
WHERE = {
    "rotated-mnist-45": "turned within 45 degrees",
    "rotated-mnist": "turned by any angle",
    "mnist": "upright",
}


def parts_page(rows: Rows) -> list[str]:
    """The two sections, where there are rows for them."""
    images, epochs = IN_PART
    texts = []
    if partial := [row for row in rows if row["images"] == images]:
        fresh = {(row["data"], row["method"]) for row in partial if row["seed"] != SETTLED}
        old = [row for row in partial if row["seed"] == SETTLED and (row["data"], row["method"]) not in fresh]
        judged = "Rows of which none is measured yet are of seed 100." if old else "All rows are of those."
        partial = [row for row in partial if row["seed"] != SETTLED] + old
        said = GATES.format(images=images, side=SIDE, parameters=PARAMETERS, epochs=epochs, judged=judged)
        texts += [said, _gates(partial), _compared(partial)]
    if trained := [row for row in rows if row["images"] != images]:
        spent = " and ".join(f"{epochs} epochs of {images:,} images" for images, epochs in TRAINED_ON)
        texts += [TRAINED.format(epochs=spent), _trained(trained)]
    return [text for text in texts if text]


def _gates(rows: Rows) -> str:
    lines = []
    angles = [45 * g for g in range(1, 5)]
    for data, title in WHERE.items():
        cell = [row for row in rows if row["data"] == data and row["method"] == "gated"]
        if not cell:
            continue
        line = [title, _seeds(cell)]
        for place in range(1, 5):
            values = [row["gates"][place] for row in cell]
            opened = sum(value > OPEN for value in values)
            line.append(f"{mean(values):.2f} ({min(values):.2f} to {max(values):.2f}), open in {opened}")
        lines.append(line)
    if not lines:
        return ""
    head = ["digits", "seeds", *(f"{angle} degrees" for angle in angles)]
    return f"Gates by angle, the mean over seeds and the range:\n\n{markdown_table(head, lines)}"


def _compared(rows: Rows) -> str:
    lines = []
    for data, title in WHERE.items():
        for method, words in (("gated", "gated C8"), ("given", "the whole of C8"), ("free", "free filters")):
            cell = [row for row in rows if row["data"] == data and row["method"] == method]
            if cell:
                count = f"{mean(row['parameters'] for row in cell):,.0f}"
                lines.append([title, words, _errors(cell), _seeds(cell), count])
    return markdown_table(["digits", "network", "test error, %", "seeds", "parameters"], lines)


def _trained(rows: Rows) -> str:
    lines = []
    ordered = sorted(rows, key=lambda row: (row["images"], row["method"], row["seed"]))
    for (images, method), some in groupby(ordered, key=lambda row: (row["images"], row["method"])):
        cell = list(some)
        moved = [row["moved"] for row in cell if "moved" in row]
        lines.append(
            [
                f"{images:,}",
                method,
                _errors(cell),
                str(len(cell)),
                f"{mean(row['equivariance_error'] for row in cell):.3f}",
                f"{min(moved):.3f} to {max(moved):.3f}" if moved else "0",
            ]
        )
    head = ["images", "generators", "test error, %", "seeds", "equivariance error", "moved"]
    texts = [markdown_table(head, lines)]
    for images in sorted({row["images"] for row in rows}):
        by_seed = {(row["method"], row["seed"]): row["accuracy"] for row in rows if row["images"] == images}
        seeds = [seed for method, seed in by_seed if method == "trained" and ("given", seed) in by_seed]
        gains = [100 * (by_seed["trained", seed] - by_seed["given", seed]) for seed in seeds]
        if len(gains) > 1:
            texts.append(
                f"At {images:,} images, trained less frozen over {len(gains)} paired seeds: "
                f"{mean(gains):+.2f} ± {stdev(gains):.2f} points, {_verdict(gains)}."
            )
    return "\n\n".join(texts)


def _verdict(gains: list[float]) -> str:
    """By Student's interval of 95 %."""
    _, low, high = student_interval(gains)
    return "no difference is shown" if low <= 0 <= high else "a gain" if low > 0 else "a loss"


def _seeds(cell: Rows) -> str:
    return ", ".join(str(row["seed"]) for row in cell)


def _errors(cell: Rows) -> str:
    errors = [100 * (1 - row["accuracy"]) for row in cell]
    return f"{mean(errors):.2f}" + (f" ± {stdev(errors):.2f}" if len(errors) > 1 else "")
