"""`docs/speed.md` and its plot, made from `results/speed.json`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lgn.markdown import markdown_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLES = {"mnist": "MNIST", "cifar10": "CIFAR-10"}
EPOCH_STEPS = {"mnist": 469, "cifar10": 391}

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
  ({gemm:.0f} billion operations a second). The native kernel saves a third of those products (Winograd), and so can
  come nearer to it than a direct one.

## What keeps the compiled layers above the floor

A profile of them (`perf record`, vectors of eight, one thread) shows: rows of 25 or 29 codes take four vectors, and an
odd row a whole tile of two; with one channel a sum has twelve products, few beside what begins and ends it; and codes
are read and written once a pass, at the speed of a memory that all cores share.{limits}

{released}{before}{profile}## What the group and the penalties cost

{costs}

Shares are of the path that the library chooses here; those of penalties are medians of ratios within a round. What a
group costs beside free filters, the orbits and Adam on the generators, is the last row of each shape.

{groups}{answer}{growth}## Memory and inference

{earlier}{memory}

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
{earlier}
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
**{seconds:.0f} s** on {threads} threads.

{table}

"""

FREED = """Commands of `lgn` keep the memory that they free (`lgn.memory`); by itself, glibc gives large blocks back.
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
        steps=_steps(result),
        released=_released_section(result),
        before=_section(BEFORE, _before, result, "before"),
        profile=_section(PARTS, _parts, result, "parts"),
        costs=_costs(result),
        limits=_limits(result),
        earlier=_earlier(result),
        groups=_groups_section(result),
        answer=_answer_section(result),
        growth=_section(GROWTH, _growth, result, "growth_by_path"),
        memory=_memory(result),
        freed=FREED.format(table=_freed(result)) if "freed_memory" in result else "",
        inference=_inference(result),
    )


def describe(result: dict[str, Any]) -> str:
    """The tables alone, of all that was measured."""
    tables = {"shapes": _steps_and_costs, "inference": _inference, "released": _released, "before": _before}
    tables |= {"parts": _parts, "growth_by_path": _growth, "peak_memory_mb": _memory, "freed_memory": _freed}
    tables |= {"group_networks": _groups, "answer": _answer}
    return "\n\n".join(table(result) for name, table in tables.items() if name in result)


def write(result: dict[str, Any], docs: Path) -> None:
    """The document and its plot, in the directory of documents."""
    (docs / "images").mkdir(parents=True, exist_ok=True)
    plot(result).savefig(docs / "images" / "speed.svg", metadata={"Date": None})
    (docs / "speed.md").write_text(page(result))


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


def _steps(result: dict[str, Any]) -> str:
    rows = []
    for name, shape in result["shapes"].items():
        for way in ("straightforward", *shape["ratio_to_straightforward"]):
            ms = shape["milliseconds"][way]
            ratio = shape["milliseconds"]["straightforward"] / ms
            epoch = ms * EPOCH_STEPS[name] / 1e3
            cells = [TITLES[name], way, f"{ms:.1f}", f"{ratio:.2f}", f"{epoch:.0f} s", f"{epoch / 0.6:.0f} min"]
            rows.append(cells)
        over = f"the last is {shape['over_floor']:.2f} times it"
        rows.append([TITLES[name], "*floor*", f"{shape['floor_milliseconds']:.1f}", over, "", ""])
    return markdown_table(["shape", "way", "ms a step", "times faster", "an epoch's steps", "100 epochs"], rows)


def _section(text: str, table: Callable[[dict[str, Any]], str], result: dict[str, Any], key: str) -> str:
    """A part of the page, where it was measured."""
    if key not in result:
        return ""
    words = f"\n{_earlier(result)}"[:-1] if key in result.get("earlier", {}).get("keys", []) else ""
    return text.format(table=table(result), batch=result["batch"], rounds=result["rounds"], earlier=words)


def _earlier(result: dict[str, Any]) -> str:
    """Of what was not measured again with the rest, where growth and memory are told."""
    if "earlier" not in result:
        return ""
    return f"{result['earlier']['words']}\n\n"


def _limits(result: dict[str, Any]) -> str:
    """Where five times the speed of the authors' code is more than direct products allow."""
    words = ""
    for name, shape in result.get("released", {}).items():
        authors, floor = shape["milliseconds"].get("authors"), result["shapes"][name]["floor_milliseconds"]
        if authors is not None and authors / 5 < floor:
            words += f" Five times the speed of the authors' code on {TITLES[name]} is {authors / 5:.0f} ms here: below"
            words += f" the floor of {floor:.0f} ms."
    return words


def _released_section(result: dict[str, Any]) -> str:
    if "released" not in result:
        return ""
    timed = any("authors" in shape["milliseconds"] for shape in result["released"].values())
    words = "; *authors* is their own class, timed in turn with the others (`--authors`)" if timed else ""
    return RELEASED.format(table=_released(result), authors=words)


def _released(result: dict[str, Any]) -> str:
    rows = []
    for name, shape in result["released"].items():
        (base,) = shape["times_faster_than"]
        slowest = shape["milliseconds"][base]
        rows += [[TITLES[name], way, f"{ms:.1f}", f"{slowest / ms:.2f}"] for way, ms in shape["milliseconds"].items()]
    base = "the authors' code" if any("authors" in row for row in rows) else "the straightforward one"
    return markdown_table(["shape", "way", "ms a step", f"times as fast as {base}"], rows)


def _before(result: dict[str, Any]) -> str:
    rows = [
        [TITLES[name], settings, f"{each['before']:.1f}", f"{each['here']:.1f}", f"{each['times_faster']:.2f}"]
        for name, by_settings in result["before"].items()
        for settings, each in by_settings.items()
    ]
    return markdown_table(["shape", "settings", "ms before", "ms now", "times faster"], rows)


def _parts(result: dict[str, Any]) -> str:
    names = list(next(iter(result["parts"]["mnist"].values())))
    rows = [
        [TITLES[name], settings, *(f"{parts[part]:.2f}" for part in names)]
        for name, by_settings in result["parts"].items()
        for settings, parts in by_settings.items()
    ]
    return markdown_table(["shape", "settings", *names], rows)


def _steps_and_costs(result: dict[str, Any]) -> str:
    return f"{_steps(result)}\n\n{_costs(result)}"


def _groups_section(result: dict[str, Any]) -> str:
    if "group_networks" not in result:
        return ""
    timed = any("escnn" in row["over"] for row in result["group_networks"])
    words = ", and beside a network of as many regular\nfields in escnn (`--escnn`)" if timed else ""
    return GROUPS.format(table=_groups(result), escnn=words, rounds=result["rounds"])


def _groups(result: dict[str, Any]) -> str:
    ways = list(result["group_networks"][0]["milliseconds"])
    rows = [
        [
            f"C{row['group'].partition(':')[2]}",
            str(row["batch"]),
            *(f"{row['milliseconds'][way]:.1f}" for way in ways),
            *(f"{row['over'][way]:.2f}" for way in ways[1:]),
        ]
        for row in result["group_networks"]
    ]
    titles = ["ms", *(f"ms, {way}" for way in ways[1:]), *(f"time over that of {way}" for way in ways[1:])]
    return markdown_table(["group", "batch", *titles], rows)


def _answer_section(result: dict[str, Any]) -> str:
    if "answer" not in result:
        return ""
    answer = result["answer"]
    return ANSWER.format(
        images=answer["images"], seconds=answer["seconds"], threads=result["threads"], table=_answer(result)
    )


def _answer(result: dict[str, Any]) -> str:
    rows = [[stage, f"{seconds:.1f}"] for stage, seconds in result["answer"]["stages"].items()]
    return markdown_table(["stage", "seconds"], [*rows, ["all", f"{result['answer']['seconds']:.1f}"]])


def _costs(result: dict[str, Any]) -> str:
    rows = []
    for name, shape in result["shapes"].items():
        rows += [[TITLES[name], what, f"{100 * share:+.1f} %"] for what, share in shape["penalty_share"].items()]
        group = 100 * (shape["group_over_free_filters"] - 1)
        rows.append([TITLES[name], "orbits instead of free filters", f"{group:+.1f} %"])
    return markdown_table(["shape", "what", "of the step"], rows)


def _growth(result: dict[str, Any]) -> str:
    rows = []
    for row in result["growth_by_path"]:
        chosen, plain = row["chosen"], row["plain"]
        times = [f"{each['milliseconds']:.0f}" for each in (chosen, plain)]
        memory = [f"{each['peak_mb']:.0f}" for each in (chosen, plain)]
        rows.append([row["setting"], str(row["value"]), row["path"], *times, *memory])
    return markdown_table(["setting", "value", "path", "ms", "ms, plain", "peak MB", "peak MB, plain"], rows)


def _memory(result: dict[str, Any]) -> str:
    rows = [[TITLES[n], way, f"{mb:.0f}"] for n, peaks in result["peak_memory_mb"].items() for way, mb in peaks.items()]
    return markdown_table(["shape", "way", "peak memory of the process, MB"], rows)


def _freed(result: dict[str, Any]) -> str:
    rows = [
        [TITLES[name], way, f"{step['milliseconds']:.1f}", f"{step['page_faults']:,.0f}"]
        for name, ways in result["freed_memory"].items()
        for way, step in ways.items()
    ]
    return markdown_table(["shape", "freed memory is", "ms a step", "page faults a step"], rows)


def _inference(result: dict[str, Any]) -> str:
    rows = [
        [TITLES[name], f"{values['merged_images_per_second']:,.0f}", f"{values['merged_over_free']:.2f}"]
        for name, values in result["inference"].items()
    ]
    return markdown_table(["shape", "merged encoder, images a second", "time over that of plain filters"], rows)
