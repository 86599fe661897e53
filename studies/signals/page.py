"""What the benchmark found, as tables for people and as `docs/signals.md`."""

from collections import Counter
from collections.abc import Iterator
from statistics import mean
from typing import Any

from lgn.text import markdown_table

Cells = list[dict[str, Any]]

PAGE = """# Signals and volumes

Everything below works for signals `(N, C, T)` and volumes `(N, C, D, H, W)` as for images, by the same code:

```python
import lgn

layer = lgn.nn.GroupConv1d(1, 8, kernel_size=9, group=4)  # GroupConv3d for volumes; stack layers and set norms likewise
encoder = lgn.nn.UnfoldedEncoder(in_channels=1, num_sets=5, group=4, kernel_size=(9,))
network = lgn.convert(model, group=4)  # knows nn.Conv1d, nn.Conv3d and transposed convolutions
stretch = lgn.transforms.operator("stretch", (9,), factor=2)
found = lgn.symmetries(signals)  # reversal, sign and shift; candidates="shifts,stretches,gain,channels" for more
volumes = lgn.symmetries(scans)  # all 48 symmetries of the cube
```

`lgn discover sounds/ --window 1024` asks a folder of WAV files (16 bit PCM), `lgn discover rows.csv` a table with one
signal a row, and an `.npz` may hold `signals` or `volumes`. The page that it writes draws signals as lines and volumes
as slices.

- `vec` has the first axis fastest: a signal is its own vector, an image is stacked by columns.
- *shift* is on a ring, by eighths of its length; *shifts* are along a line.
- Scores that need rows and columns (Kronecker, multi-scale, ...) are not asked of signals and volumes; the table of an
  analysis says which.
- Fast and native kernels of unfolded encoders, the gain of a network, `lgn train` and `lgn build` are for images alone:
  signals and volumes are refused there.

Made by `lgn benchmark signals` from `results/signals.json`.

{tables}
"""

UNMEASURED = """## Not measured yet

How often verdicts on {parts} with planted symmetries are right: `lgn benchmark signals --out results/signals.json`
goes on where it stopped. Until then `lgn.symmetries` is experimental for them: their observers are others than those of
images, and the error rates of images say nothing about them."""

WORDS = {
    "planted": """## Operators recovered

`lgn.fit_generator` on banks of filter sets `[W, A W]`, four sets for each dimension: the relative error of A, the
largest over seeds.""",
    "signals": """## Signals whose symmetries are known

{count} signals of 96 values. *Told apart* is the share of right answers of an observer, the mean over seeds: 0.5 is
chance; *a break of the margin* is what a break reads that the best observer would tell at 0.55. Windows of a process
and of a tone are no rings: their ends do not meet, and *shift* is broken. The two stationary processes have covariances
that are the same backwards: only the second one's time has an arrow. *One in eight jumps* is a slight break: the best
observer tells it at .56, a little more than the margin, and by no pattern, so it must not be called kept.

Observers of signals and volumes have a linear layer of all values beside their convolutions, and learn slowly: the
first ones, without it, hardly saw a break of the margin in a process, and left its reversal undecided. Both rules were
chosen on signals of other seeds than these, before any of these was measured.""",
    "volumes": """## Volumes that keep one mirror

{count} volumes of 6x6x6, a random field about a mean that is its own mirror image. All 48 symmetries of the cube are
tried.""",
    "outlines": """## Outlines of leaves and arrow heads

Real signals, `OSULeaf` and `ArrowHead`, by `tools/study_signals.py`. A leaf's outline is closed: if it began anywhere,
turning the leaf would shift its signal round a ring, and *shift* would be kept. It does not begin anywhere: {begins}
So the shift of leaves is broken although {circulant} of the energy of their covariance is circulant, which shows where
outlines begin as little as it shows an arrow of time. Beside them stand the same outlines, each begun at a random
place, for which *shift* holds by construction. Arrow heads are aligned. All are few: what cannot be decided with so
many is left undecided. *Covariance circulant* is the share of its energy that shifts leave as it is.""",
}


def page(result: dict[str, Any]) -> str:
    """The document of a measurement."""
    parts = {cell["key"]["part"] for cell in result["cells"]}
    missing = [part for part in ("signals", "volumes") if part not in parts]
    tables = describe(result)
    return PAGE.format(tables=f"{tables}\n\n{UNMEASURED.format(parts=' and '.join(missing))}" if missing else tables)


def describe(result: dict[str, Any]) -> str:
    """Every part that was measured, as tables."""
    makers = {"planted": _planted, "signals": _signals, "volumes": _volumes, "outlines": _outlines}
    texts = []
    for part, make in makers.items():
        cells = [cell for cell in result["cells"] if cell["key"]["part"] == part]
        if cells:
            count = f"{cells[0]['count']:,}" if "count" in cells[0] else ""
            words = {"count": count, **(_beginnings(cells) if part == "outlines" else {})}
            texts.append(f"{WORDS[part].format(**words)}\n\n{make(cells)}")
    return "\n\n".join(texts)


def _planted(cells: Cells) -> str:
    rows = []
    for operator in dict.fromkeys(cell["key"]["operator"] for cell in cells):
        mine = [cell for cell in cells if cell["key"]["operator"] == operator]
        worst = {
            noise: max(cell["error"] for cell in mine if cell["key"]["noise"] == noise)
            for noise in sorted({cell["key"]["noise"] for cell in mine})
        }
        patch = "x".join(map(str, mine[0]["key"]["patch"]))
        seeds = len({cell["key"]["seed"] for cell in mine})
        rows.append([operator, patch, *(f"{error:.1e}" for error in worst.values()), str(seeds)])
    noises = sorted({cell["key"]["noise"] for cell in cells})
    heads = ["no noise" if not noise else f"noise {noise:g}" for noise in noises]
    return markdown_table(["operator", "patch", *heads, "seeds"], rows)


def _signals(cells: Cells) -> str:
    rows = []
    for name, candidate, mine, about in _by_candidate(cells):
        controls = [cell["controls"][candidate] for cell in mine if candidate in cell["controls"]]
        control = f"{mean(controls):.3f}" if controls else "-"
        rows.append([name, candidate, about[0]["truth"], _said(about), _told(about), control])
    heads = ["signals", "", "truth", "said", "told apart", "a break of the margin"]
    return f"{markdown_table(heads, rows)}\n\n{_right(cells)}"


def _volumes(cells: Cells) -> str:
    rows = []
    for cell in cells:
        kept = [row["name"] for row in cell["rows"] if row["verdict"] == "kept"]
        said = Counter(row["verdict"] for row in cell["rows"])
        broken = f"{said['broken']} of {len(cell['rows']) - 1}"
        lowest = min(row["told_apart"] for row in cell["rows"] if row["truth"] == "broken")
        mirror = next(row["told_apart"] for row in cell["rows"] if row["truth"] == "kept")
        rows.append([str(cell["key"]["seed"]), ", ".join(kept) or "-", f"{mirror:.3f}", broken, f"{lowest:.3f}"])
    heads = ["seed", "kept", "mirror 1 told apart", "others broken", "least told apart of them"]
    return f"{markdown_table(heads, rows)}\n\n{_right(cells)}"


def _outlines(cells: Cells) -> str:
    rows = []
    for name, candidate, mine, about in _by_candidate(cells):
        needed = [cell["needed"][candidate] for cell in mine if candidate in cell["needed"]]
        more = f"{round(mean(needed), -2):,.0f}" if needed else "-"
        count, share = f"{mine[0]['count']:,}", f"{mine[0]['circulant']:.2f}"
        low, high = (mean(row["interval"][end] for row in about) for end in (0, 1))
        rows.append([name, count, share, candidate, _said(about), f"{_told(about)} ({low:.3f} to {high:.3f})", more])
    heads = ["signals", "how many", "covariance circulant", "", "said", "told apart (95 %)", "would be needed, about"]
    return markdown_table(heads, rows)


def _beginnings(cells: Cells) -> dict[str, str]:
    """Where outlines begin, in words, and how circulant the covariance of leaves is."""
    first = {cell["key"]["signals"]: cell for cell in reversed(cells)}
    said = [
        f"{first[name]['begins'][word]:.0%} of the {name} have a {word} within three values of their beginning (of any "
        f"place {first[name]['begins'][f'{word} anywhere']:.0%})"
        for name, word in (("outlines of leaves", "tip"), ("outlines of arrow heads", "notch"))
        if name in first
    ]
    return {"begins": f"{', and '.join(said)}.", "circulant": f"{first['outlines of leaves']['circulant']:.0%}"}


def _right(cells: Cells) -> str:
    rows = [row for cell in cells for row in cell["rows"]]
    wrong = [row for row in rows if row["verdict"] not in (row["truth"], "undecided")]
    open_ = sum(row["verdict"] == "undecided" for row in rows)
    return f"Wrong: {len(wrong)} of {len(rows)} verdicts; undecided: {open_}."


def _by_candidate(cells: Cells) -> Iterator[tuple[str, str, Cells, Cells]]:
    """Every set with each of its candidates: the cells of the set, and the rows of the candidate in them."""
    for name in dict.fromkeys(cell["key"]["signals"] for cell in cells):
        mine = [cell for cell in cells if cell["key"]["signals"] == name]
        for candidate in dict.fromkeys(row["name"] for cell in mine for row in cell["rows"]):
            yield name, candidate, mine, [row for cell in mine for row in cell["rows"] if row["name"] == candidate]


def _said(about: Cells) -> str:
    return ", ".join(f"{word} {count}" for word, count in Counter(row["verdict"] for row in about).most_common())


def _told(about: Cells) -> str:
    return f"{mean(row['told_apart'] for row in about):.3f}"
