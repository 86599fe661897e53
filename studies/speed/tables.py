"""The tables and the figure of docs/evidence/speed.md."""

from functools import partial

from matplotlib.figure import Figure

from studies.render import Maker, Results
from studies.tables import Column, Record, Table, table

TITLES = {"mnist": "MNIST", "cifar10": "CIFAR-10"}
EPOCH_STEPS = {"MNIST": 469, "CIFAR-10": 391}


def by_shape(part: str, results: Results, name: str = "shapes") -> list[Record]:
    found = results.cells(part)[0][name]
    return [{"shape": TITLES[shape], **values} for shape, values in found.items()]


def ways(part: str, results: Results, name: str) -> list[Record]:
    """A record for each shape and way, with the entries of the way or with its number."""
    return [
        {"shape": TITLES[shape], "way": way, **(value if isinstance(value, dict) else {"value": value})}
        for shape, found in results.cells(part)[0][name].items()
        for way, value in found.items()
    ]


def steps(results: Results) -> Table:
    rows = []
    for shape in by_shape("steps", results):
        base, title = shape["milliseconds"]["straightforward"], shape["shape"]
        for way in ("straightforward", *shape["ratio_to_straightforward"]):
            ms = shape["milliseconds"][way]
            epoch = ms * EPOCH_STEPS[title] / 1e3
            rows.append([title, way, f"{ms:.1f}", f"{base / ms:.2f}", f"{epoch:.0f} s", f"{epoch / 0.6:.0f} min"])
        floor = f"the last is {shape['over_floor']:.2f} times it"
        rows.append([title, "*floor*", f"{shape['floor_milliseconds']:.1f}", floor, "", ""])
    return Table(["shape", "way", "ms a step", "times faster", "an epoch's steps", "100 epochs"], rows)


def released(results: Results) -> list[Record]:
    return [
        {"shape": shape["shape"], "way": way, "ms": ms, "faster": shape["milliseconds"][base] / ms}
        for shape in by_shape("released", results)
        for base in shape["times_faster_than"]
        for way, ms in shape["milliseconds"].items()
    ]


def repeated(results: Results) -> list[Record]:
    shapes = [shape for shape in by_shape("released", results) if "times_faster_in_runs" in shape]
    return [{"shape": shape["shape"], "run": ratio} for shape in shapes for ratio in shape["times_faster_in_runs"]]


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


def answer(results: Results) -> list[Record]:
    (found,) = results.cells("answer")
    stages = [*found["stages"].items(), ("all", found["answer_seconds"])]
    return [{"stage": stage, "duration": seconds} for stage, seconds in stages]


def costs(results: Results) -> list[Record]:
    return [
        {"shape": shape["shape"], "what": what, "share": share}
        for shape in by_shape("steps", results)
        for what, share in [
            *shape["penalty_share"].items(),
            ("orbits instead of free filters", shape["group_over_free_filters"] - 1),
        ]
    ]


def scaling(results: Results) -> list[Record]:
    return [{**row, "filters": row["num_sets"] * row["order"]} for row in results.cells("scaling")[0]["rows"]]


def step_times(results: Results) -> Figure:
    """Milliseconds of a step in each way, with the time of the products of direct convolution as a line."""
    shapes = by_shape("steps", results)
    figure = Figure(figsize=(8, 2.6), layout="constrained")
    for axis, shape in zip(figure.subplots(1, len(shapes)), shapes, strict=True):
        names = ["straightforward", *shape["ratio_to_straightforward"]]
        times = [shape["milliseconds"][way] for way in names]
        bars = axis.barh(names, times, color=["#b0b0b0", *["#4477aa"] * (len(names) - 1)])
        axis.bar_label(bars, fmt="%.0f ms", padding=3)
        axis.axvline(shape["floor_milliseconds"], color="#ee7733", linestyle="--")
        axis.text(shape["floor_milliseconds"], -0.45, " floor", color="#ee7733", va="bottom", fontsize=8)
        axis.set(title=shape["shape"], xlabel="milliseconds a step", xlim=(0, 1.25 * max(times)))
        axis.invert_yaxis()
        axis.spines[["top", "right"]].set_visible(False)
    return figure


TABLES: dict[str, Maker] = {
    "steps": steps,
    "setting": lambda results: results.cells("steps"),
    "released": released,
    "repeated": repeated,
    "profile": partial(ways, "profile", name="shapes"),
    "groups": groups,
    "answer": answer,
    "costs": costs,
    "growth": lambda results: results.cells("growth")[0]["rows"],
    "scaling": scaling,
    "memory": partial(ways, "memory", name="peak_memory_mb"),
    "freed": partial(ways, "memory", name="freed_memory"),
    "inference": lambda results: by_shape("steps", results, "inference"),
}
FIGURES = {"docs/images/speed.svg": step_times}
