"""The tables of docs/evidence/speed.md."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from studies.figures.speed import step_times
from studies.render import Column, NotMeasured, Record, Table, entries, first, result, table

TITLES = {"mnist": "MNIST", "cifar10": "CIFAR-10"}
EPOCH_STEPS = {"mnist": 469, "cifar10": 391}


def measured(results: Path, part: str) -> Any:
    stored = result(results, "speed")
    if part not in stored:
        raise NotMeasured(f"{part} in speed.json")
    return stored[part]


def by_shape(results: Path, part: str) -> Iterable[tuple[str, str, Any]]:
    """The name and the title of each shape, with what was measured of it."""
    return ((name, TITLES[name], of_shape) for name, of_shape in measured(results, part).items())


def steps(results: Path) -> Table:
    rows = []
    for name, title, shape in by_shape(results, "shapes"):
        base = shape["milliseconds"]["straightforward"]
        for way in ("straightforward", *shape["ratio_to_straightforward"]):
            ms = shape["milliseconds"][way]
            epoch = ms * EPOCH_STEPS[name] / 1e3
            rows.append([title, way, f"{ms:.1f}", f"{base / ms:.2f}", f"{epoch:.0f} s", f"{epoch / 0.6:.0f} min"])
        floor = f"the last is {shape['over_floor']:.2f} times it"
        rows.append([title, "*floor*", f"{shape['floor_milliseconds']:.1f}", floor, "", ""])
    return Table(["shape", "way", "ms a step", "times faster", "an epoch's steps", "100 epochs"], rows)


def setting(results: Path) -> Table:
    """Where and how the steps were timed."""
    stored = result(results, "speed")
    row = [str(stored[name]) for name in ("batch", "threads", "rounds", "torch")]
    return Table(
        ["batch", "threads", "rounds", "torch", "GFLOP/s of a matrix product"], [[*row, f"{stored['gemm_gflops']:.0f}"]]
    )


def released(results: Path) -> Table:
    rows = []
    for _, title, shape in by_shape(results, "released"):
        (base,) = shape["times_faster_than"]
        slowest = shape["milliseconds"][base]
        rows += [[title, way, f"{ms:.1f}", f"{slowest / ms:.2f}"] for way, ms in shape["milliseconds"].items()]
    return Table(["shape", "way", "ms a step", "times as fast as the authors' code"], rows)


def repeated(results: Path) -> Table:
    """How many times as fast as the authors' code, in several runs of the study."""
    rows = [
        [title, ", ".join(f"{ratio:.1f}" for ratio in shape["times_faster_in_runs"])]
        for _, title, shape in by_shape(results, "released")
        if "times_faster_in_runs" in shape
    ]
    return Table(["shape", "times as fast as the authors' code, by run"], rows)


def profile(results: Path) -> Table:
    found = [
        [title, settings, parts] for _, title, shape in by_shape(results, "parts") for settings, parts in shape.items()
    ]
    rows = [[title, settings, *(f"{ms:.2f}" for ms in parts.values())] for title, settings, parts in found]
    return Table(["shape", "settings", *found[0][2]], rows)


def groups(results: Path) -> Table:
    rows = measured(results, "group_networks")
    ways = list(rows[0]["milliseconds"])
    columns = {"group": first(lambda row: row["group"].replace("cyclic:", "C")), "batch": first("batch")}
    for way in ways:
        columns["ms" if way == ways[0] else f"ms, {way}"] = first(partial(_entry, "milliseconds", way), ".1f")
    for way in ways[1:]:
        columns[f"time over that of {way}"] = first(partial(_entry, "over", way), ".2f")
    return table(rows, ("group", "batch"), columns)


def _entry(name: str, way: str, row: Record) -> float:
    return row[name][way]


def answer(results: Path) -> Table:
    found = measured(results, "answer")
    stages = [*found["stages"].items(), ("all", found["seconds"])]
    return Table(["stage", "seconds"], [[stage, f"{seconds:.1f}"] for stage, seconds in stages])


def costs(results: Path) -> Table:
    rows = []
    for _, title, shape in by_shape(results, "shapes"):
        group = {"orbits instead of free filters": shape["group_over_free_filters"] - 1}
        shares = shape["penalty_share"] | group
        rows += [[title, what, f"{100 * share:+.1f} %"] for what, share in shares.items()]
    return Table(["shape", "what", "of the step"], rows)


def growth(results: Path) -> Table:
    def of(way: str, name: str) -> Column:
        return first(lambda row: row[way][name], ".0f")

    columns = entries("setting", "value", "path") | {
        "ms": of("chosen", "milliseconds"),
        "ms, plain": of("plain", "milliseconds"),
        "peak MB": of("chosen", "peak_mb"),
        "peak MB, plain": of("plain", "peak_mb"),
    }
    return table(measured(results, "growth_by_path"), ("setting", "value"), columns)


def scaling(results: Path) -> Table:
    columns = {
        "kernel": first(lambda row: "{kernel_size}x{kernel_size}".format(**row)),
        "order": first("order"),
        "sets": first("num_sets"),
        "filters": first(lambda row: row["num_sets"] * row["order"]),
        "a step": first("step", ".0f"),
        "orbits and penalty in it": first("orbits_and_penalty", ".1f"),
    }
    return table(measured(results, "scaling"), str, {**columns})


def memory(results: Path) -> Table:
    rows = [
        [title, way, f"{mb:.0f}"] for _, title, ways in by_shape(results, "peak_memory_mb") for way, mb in ways.items()
    ]
    return Table(["shape", "way", "peak memory of the process, MB"], rows)


def freed(results: Path) -> Table:
    rows = [
        [title, way, f"{step['milliseconds']:.1f}", f"{step['page_faults']:,.0f}"]
        for _, title, ways in by_shape(results, "freed_memory")
        for way, step in ways.items()
    ]
    return Table(["shape", "freed memory is", "ms a step", "page faults a step"], rows)


def inference(results: Path) -> Table:
    rows = [
        [title, f"{values['merged_images_per_second']:,.0f}", f"{values['merged_over_free']:.2f}"]
        for _, title, values in by_shape(results, "inference")
    ]
    return Table(["shape", "merged encoder, images a second", "time over that of plain filters"], rows)


TABLES: Mapping[str, Callable[[Path], Table]] = {
    "steps": steps,
    "setting": setting,
    "released": released,
    "repeated": repeated,
    "profile": profile,
    "groups": groups,
    "answer": answer,
    "costs": costs,
    "growth": growth,
    "scaling": scaling,
    "memory": memory,
    "freed": freed,
    "inference": inference,
}
FIGURES = {"docs/images/speed.svg": lambda results: step_times(result(results, "speed"))}
