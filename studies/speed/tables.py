"""The tables and the figure of docs/evidence/speed.md."""

from collections.abc import Iterable
from typing import Any

from matplotlib.figure import Figure

from studies.render import Maker, Results
from studies.tables import Column, Record, Table, table

TITLES = {"mnist": "MNIST", "cifar10": "CIFAR-10"}
EPOCH_STEPS = {"mnist": 469, "cifar10": 391}


def by_shape(results: Results, part: str, name: str = "shapes") -> Iterable[tuple[str, str, Any]]:
    return ((shape, TITLES[shape], found) for shape, found in results.cells(part)[0][name].items())


def steps(results: Results) -> Table:
    rows = []
    for name, title, shape in by_shape(results, "steps"):
        base = shape["milliseconds"]["straightforward"]
        for way in ("straightforward", *shape["ratio_to_straightforward"]):
            ms = shape["milliseconds"][way]
            epoch = ms * EPOCH_STEPS[name] / 1e3
            rows.append([title, way, f"{ms:.1f}", f"{base / ms:.2f}", f"{epoch:.0f} s", f"{epoch / 0.6:.0f} min"])
        floor = f"the last is {shape['over_floor']:.2f} times it"
        rows.append([title, "*floor*", f"{shape['floor_milliseconds']:.1f}", floor, "", ""])
    return Table(["shape", "way", "ms a step", "times faster", "an epoch's steps", "100 epochs"], rows)


def released(results: Results) -> Table:
    rows = []
    for _, title, shape in by_shape(results, "released"):
        (base,) = shape["times_faster_than"]
        slowest = shape["milliseconds"][base]
        rows += [[title, way, f"{ms:.1f}", f"{slowest / ms:.2f}"] for way, ms in shape["milliseconds"].items()]
    return Table(["shape", "way", "ms a step", "times as fast as the authors' code"], rows)


def repeated(results: Results) -> Table:
    """How many times as fast as the authors' code, in several runs of the study."""
    rows = [
        [title, ", ".join(f"{ratio:.1f}" for ratio in shape["times_faster_in_runs"])]
        for _, title, shape in by_shape(results, "released")
        if "times_faster_in_runs" in shape
    ]
    return Table(["shape", "times as fast as the authors' code, by run"], rows)


def profile(results: Results) -> Table:
    found = [
        [title, settings, parts]
        for _, title, shape in by_shape(results, "profile")
        for settings, parts in shape.items()
    ]
    rows = [[title, settings, *(f"{ms:.2f}" for ms in parts.values())] for title, settings, parts in found]
    return Table(["shape", "settings", *found[0][2]], rows)


def groups(results: Results) -> Table:
    rows: list[Record] = results.cells("groups")[0]["rows"]
    first, *others = rows[0]["milliseconds"]
    columns: dict[str, Column] = {
        "group": lambda found: found[0]["group"].replace("cyclic:", "C"),
        "batch": "{batch}",
        "ms": f"{{milliseconds[{first}]:.1f}}",
    }
    columns |= {f"ms, {way}": f"{{milliseconds[{way}]:.1f}}" for way in others}
    return table(rows, str, columns | {f"time over that of {way}": f"{{over[{way}]:.2f}}" for way in others})


def answer(results: Results) -> Table:
    (found,) = results.cells("answer")
    stages = [*found["stages"].items(), ("all", found["answer_seconds"])]
    return Table(["stage", "seconds"], [[stage, f"{seconds:.1f}"] for stage, seconds in stages])


def costs(results: Results) -> Table:
    rows = []
    for _, title, shape in by_shape(results, "steps"):
        group = {"orbits instead of free filters": shape["group_over_free_filters"] - 1}
        shares = shape["penalty_share"] | group
        rows += [[title, what, f"{100 * share:+.1f} %"] for what, share in shares.items()]
    return Table(["shape", "what", "of the step"], rows)


def scaling(results: Results) -> list[Record]:
    return [{**row, "filters": row["num_sets"] * row["order"]} for row in results.cells("scaling")[0]["rows"]]


def memory(results: Results) -> Table:
    found = by_shape(results, "memory", "peak_memory_mb")
    rows = [[title, way, f"{mb:.0f}"] for _, title, ways in found for way, mb in ways.items()]
    return Table(["shape", "way", "peak memory of the process, MB"], rows)


def freed(results: Results) -> Table:
    rows = [
        [title, way, f"{step['milliseconds']:.1f}", f"{step['page_faults']:,.0f}"]
        for _, title, ways in by_shape(results, "memory", "freed_memory")
        for way, step in ways.items()
    ]
    return Table(["shape", "freed memory is", "ms a step", "page faults a step"], rows)


def inference(results: Results) -> Table:
    rows = [
        [title, f"{values['merged_images_per_second']:,.0f}", f"{values['merged_over_free']:.2f}"]
        for _, title, values in by_shape(results, "steps", "inference")
    ]
    return Table(["shape", "merged encoder, images a second", "time over that of plain filters"], rows)


def step_times(results: Results) -> Figure:
    """Milliseconds of a step in each way, with the time of the products of direct convolution as a line."""
    shapes = list(by_shape(results, "steps"))
    figure = Figure(figsize=(8, 2.6), layout="constrained")
    for axis, (_, title, shape) in zip(figure.subplots(1, len(shapes)), shapes, strict=True):
        ways = ["straightforward", *shape["ratio_to_straightforward"]]
        times = [shape["milliseconds"][way] for way in ways]
        bars = axis.barh(ways, times, color=["#b0b0b0", *["#4477aa"] * (len(ways) - 1)])
        axis.bar_label(bars, fmt="%.0f ms", padding=3)
        axis.axvline(shape["floor_milliseconds"], color="#ee7733", linestyle="--")
        axis.text(shape["floor_milliseconds"], -0.45, " floor", color="#ee7733", va="bottom", fontsize=8)
        axis.set(title=title, xlabel="milliseconds a step", xlim=(0, 1.25 * max(times)))
        axis.invert_yaxis()
        axis.spines[["top", "right"]].set_visible(False)
    return figure


TABLES: dict[str, Maker] = {
    "steps": steps,
    "setting": lambda results: results.cells("steps"),
    "released": released,
    "repeated": repeated,
    "profile": profile,
    "groups": groups,
    "answer": answer,
    "costs": costs,
    "growth": lambda results: results.cells("growth")[0]["rows"],
    "scaling": scaling,
    "memory": memory,
    "freed": freed,
    "inference": inference,
}
FIGURES = {"docs/images/speed.svg": step_times}
