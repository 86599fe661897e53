"""`docs/speed.md` and its plot, made from `results/speed.json`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from studies.speed import speed_tables
from studies.speed.speed_tables import TITLES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


PAGE = """# Speed

Made by `lgn benchmark speed` from `results/speed.json`: one training step of the paper's network (4 layers, 5 sets of
4 filters of 6x6, {batch} images), forward, penalty, backward and Adam, on {threads} threads. All ways are timed in turn
in one run, and the fewest milliseconds of {rounds} rounds are reported: machines are shared, and noise only adds.

![milliseconds of a step](images/speed.svg)

{steps}

- *straightforward* is what a reader of the paper would write first (`lgn/benchmarks/straightforward.py`).
- *plain* is the library's readable path: banks of all layers in one batched orbit, the first decode skipped.
- *fast* is the pure PyTorch path of `lgn/nn/kernels/fast.py`, chosen on a CPU; its note says what makes it fast.
{native}- *floor* is the time of the products of direct convolution, at the speed of a large matrix product here
  ({gemm:.0f} billion operations a second). The native kernel saves half of those products (Winograd's F(5, 3): 7 for
  15), and so can come nearer to it than a direct one, and below it.

## What keeps the compiled layers above the floor

A profile of a step (`perf record`, vectors of eight, MNIST) shows: two fifths are products, at nearly the speed of a
matrix product, though rows of 25 or 29 codes take four vectors; a third is what tiles of five rows are lifted to and
brought back from, bound by instructions and not by memory (batches of 16 take as long an image as of 128); and what is
left, a sixth on one thread and nearly a quarter on two, is torch and Python between kernels, which is serial. Tried and
not taken: tiles of two and three rows (slower by 1.2 and 1.1), prefetching what comes next, pages of 2 MB.{limits}

{released}{before}{profile}## What the group and the penalties cost

{costs}

Shares are of the path that the library chooses here; those of penalties are medians of ratios within a round. What a
group costs beside free filters, the orbits and Adam on the generators, is the last row of each shape.

{groups}{answer}{growth}## Memory and inference

{memory}

{freed}{inference}
"""

RELEASED = """## With the settings of the authors' code

Momentum (FISTA), a generator for each channel, unit norms after every step. *straightforward* is our own plain version
of them{authors}.

{table}

"""

BEFORE = """## Beside the version before

Two processes that make steps in turn, one with the sources of the version before: the fewest milliseconds of {rounds}
rounds, and the median of the ratio within a round.

{table}

"""

PARTS = """## Where the time goes

Fewest milliseconds of each part of a step, by the path that the library chooses. Momentum, normalisation and pooling
are within the layers.

{table}

"""

GROWTH = """## Growth

A step on images of three channels, of 32 pixels a side and {batch} a batch where nothing else is said, as one setting
grows: the path that the library chooses beside the plain one, each in a process of its own.

{table}

"""

GROUPS = """## Group networks

A training step of `lgn.nn.GroupNet` on images of 28 pixels, beside the same network of plain convolutions with as many
channels, all of them trained{escnn}: fewest milliseconds of {rounds} rounds
in turn, and the median of the ratio within a round.

{table}

"""

ANSWER = """## The whole answer

`lgn.symmetries` on the {images:,} digits that come with the package, with evidence of images, labels and a network:
**{seconds:.0f} s** on {threads} threads. Labels and a network are asked about what images keep, and
upright digits keep nothing.

{table}

"""

FREED = """Commands of `lgn` keep the memory that they free; by itself, glibc gives large blocks back.
Steps of the path that the library chooses, both ways:

{table}

"""


def page(result: dict[str, Any]) -> str:
    """The document of a full measurement."""
    native = (
        "- *native* is a kernel in C, compiled once on a machine that has a compiler, when training starts, or inside\n"
        "  a wheel that was built with `LGN_BUILD_KERNEL=1` (`lgn/nn/kernels/native`). One build is for any x86-64\n"
        "  with AVX2, and takes AVX-512 where it is.\n"
    )
    return PAGE.format(
        batch=result["batch"],
        threads=result["threads"],
        rounds=result["rounds"],
        gemm=result["gemm_gflops"],
        native=native if "native" in result["shapes"]["mnist"]["ratio_to_straightforward"] else "",
        steps=speed_tables.steps(result),
        released=_released_section(result),
        before=_section(BEFORE, speed_tables.before, result, "before"),
        profile=_section(PARTS, speed_tables.parts, result, "parts"),
        costs=speed_tables.costs(result),
        limits=_limits(result),
        groups=_groups_section(result),
        answer=_answer_section(result),
        growth=_section(GROWTH, speed_tables.growth, result, "growth_by_path"),
        memory=speed_tables.memory(result),
        freed=FREED.format(table=speed_tables.freed(result)) if "freed_memory" in result else "",
        inference=speed_tables.inference(result),
    )


def describe(result: dict[str, Any]) -> str:
    """The tables alone, of all that was measured."""
    tables = {
        "shapes": _steps_and_costs,
        "inference": speed_tables.inference,
        "released": speed_tables.released,
        "before": speed_tables.before,
    }
    tables |= {
        "parts": speed_tables.parts,
        "growth_by_path": speed_tables.growth,
        "peak_memory_mb": speed_tables.memory,
        "freed_memory": speed_tables.freed,
    }
    tables |= {"group_networks": speed_tables.groups, "answer": speed_tables.answer}
    return "\n\n".join(table(result) for name, table in tables.items() if name in result)


def plot(result: dict[str, Any]) -> "Figure":
    """Bars: milliseconds of each way, for both shapes, with the floor as a line."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 2.6), layout="constrained")
    axes = figure.subplots(1, len(result["shapes"]))
    for axis, (name, shape) in zip(axes, result["shapes"].items(), strict=True):
        ways = ["straightforward", *shape["ratio_to_straightforward"]]
        times = [shape["milliseconds"][way] for way in ways]
        bars = axis.barh(ways, times, color=["#b0b0b0", *["#4477aa"] * (len(ways) - 1)])
        axis.bar_label(bars, fmt="%.0f ms", padding=3)
        axis.axvline(shape["floor_milliseconds"], color="#ee7733", linestyle="--")
        axis.text(shape["floor_milliseconds"], -0.45, " floor", color="#ee7733", va="bottom", fontsize=8)
        axis.set(title=TITLES[name], xlabel="milliseconds a step", xlim=(0, 1.25 * max(times)))
        axis.invert_yaxis()
        axis.spines[["top", "right"]].set_visible(False)
    return figure


def _section(text: str, table: Callable[[dict[str, Any]], str], result: dict[str, Any], key: str) -> str:
    """A part of the page, where it was measured."""
    if key not in result:
        return ""
    return text.format(table=table(result), batch=result["batch"], rounds=result["rounds"])


def _limits(result: dict[str, Any]) -> str:
    """Where five times the speed of the authors' code is more than direct products allow."""
    words = ""
    for name, shape in result.get("released", {}).items():
        authors, floor = shape["milliseconds"].get("authors"), result["shapes"][name]["floor_milliseconds"]
        if authors is not None and authors / 5 < floor:
            words += f"\nFive times the authors' speed on {TITLES[name]} would be {authors / 5:.0f} ms here,"
            words += f"\nwhere the products of direct convolution alone take {floor:.0f} ms."
    return words


def _released_section(result: dict[str, Any]) -> str:
    if "released" not in result:
        return ""
    timed = any("authors" in shape["milliseconds"] for shape in result["released"].values())
    words = "; *authors* is their own class, timed in turn with the others (`--authors`)" if timed else ""
    runs = [
        f"{', '.join(f'{ratio:.1f}' for ratio in shape['times_faster_in_runs'])} ({TITLES[name]})"
        for name, shape in result["released"].items()
        if "times_faster_in_runs" in shape
    ]
    several = f"Times as fast as the authors' code in several runs of this: {' and '.join(runs)}.\n\n" if runs else ""
    return RELEASED.format(table=speed_tables.released(result), authors=words) + several


def _steps_and_costs(result: dict[str, Any]) -> str:
    return f"{speed_tables.steps(result)}\n\n{speed_tables.costs(result)}"


def _groups_section(result: dict[str, Any]) -> str:
    if "group_networks" not in result:
        return ""
    timed = any("escnn" in row["over"] for row in result["group_networks"])
    words = ", and beside a network of as many regular\nfields in escnn (`--escnn`)" if timed else ""
    return GROUPS.format(table=speed_tables.groups(result), escnn=words, rounds=result["rounds"])


def _answer_section(result: dict[str, Any]) -> str:
    if "answer" not in result:
        return ""
    answer = result["answer"]
    return ANSWER.format(
        images=answer["images"], seconds=answer["seconds"], threads=result["threads"], table=speed_tables.answer(result)
    )
