"""The tables of the speed benchmark, one for each of its parts."""

from typing import Any

from lgn.text import markdown_table

TITLES = {"mnist": "MNIST", "cifar10": "CIFAR-10"}
EPOCH_STEPS = {"mnist": 469, "cifar10": 391}


def steps(result: dict[str, Any]) -> str:
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


def released(result: dict[str, Any]) -> str:
    rows = []
    for name, shape in result["released"].items():
        (base,) = shape["times_faster_than"]
        slowest = shape["milliseconds"][base]
        rows += [[TITLES[name], way, f"{ms:.1f}", f"{slowest / ms:.2f}"] for way, ms in shape["milliseconds"].items()]
    base = "the authors' code" if any("authors" in row for row in rows) else "the straightforward one"
    return markdown_table(["shape", "way", "ms a step", f"times as fast as {base}"], rows)


def before(result: dict[str, Any]) -> str:
    rows = [
        [TITLES[name], settings, f"{each['before']:.1f}", f"{each['here']:.1f}", f"{each['times_faster']:.2f}"]
        for name, by_settings in result["before"].items()
        for settings, each in by_settings.items()
    ]
    return markdown_table(["shape", "settings", "ms before", "ms now", "times faster"], rows)


def parts(result: dict[str, Any]) -> str:
    names = list(next(iter(result["parts"]["mnist"].values())))
    rows = [
        [TITLES[name], settings, *(f"{parts[part]:.2f}" for part in names)]
        for name, by_settings in result["parts"].items()
        for settings, parts in by_settings.items()
    ]
    return markdown_table(["shape", "settings", *names], rows)


def groups(result: dict[str, Any]) -> str:
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


def answer(result: dict[str, Any]) -> str:
    rows = [[stage, f"{seconds:.1f}"] for stage, seconds in result["answer"]["stages"].items()]
    return markdown_table(["stage", "seconds"], [*rows, ["all", f"{result['answer']['seconds']:.1f}"]])


def costs(result: dict[str, Any]) -> str:
    rows = []
    for name, shape in result["shapes"].items():
        rows += [[TITLES[name], what, f"{100 * share:+.1f} %"] for what, share in shape["penalty_share"].items()]
        group = 100 * (shape["group_over_free_filters"] - 1)
        rows.append([TITLES[name], "orbits instead of free filters", f"{group:+.1f} %"])
    return markdown_table(["shape", "what", "of the step"], rows)


def growth(result: dict[str, Any]) -> str:
    rows = []
    for row in result["growth_by_path"]:
        chosen, plain = row["chosen"], row["plain"]
        times = [f"{each['milliseconds']:.0f}" for each in (chosen, plain)]
        memory = [f"{each['peak_mb']:.0f}" for each in (chosen, plain)]
        rows.append([row["setting"], str(row["value"]), row["path"], *times, *memory])
    return markdown_table(["setting", "value", "path", "ms", "ms, plain", "peak MB", "peak MB, plain"], rows)


def memory(result: dict[str, Any]) -> str:
    rows = [[TITLES[n], way, f"{mb:.0f}"] for n, peaks in result["peak_memory_mb"].items() for way, mb in peaks.items()]
    return markdown_table(["shape", "way", "peak memory of the process, MB"], rows)


def freed(result: dict[str, Any]) -> str:
    rows = [
        [TITLES[name], way, f"{step['milliseconds']:.1f}", f"{step['page_faults']:,.0f}"]
        for name, ways in result["freed_memory"].items()
        for way, step in ways.items()
    ]
    return markdown_table(["shape", "freed memory is", "ms a step", "page faults a step"], rows)


def inference(result: dict[str, Any]) -> str:
    rows = [
        [TITLES[name], f"{values['merged_images_per_second']:,.0f}", f"{values['merged_over_free']:.2f}"]
        for name, values in result["inference"].items()
    ]
    return markdown_table(["shape", "merged encoder, images a second", "time over that of plain filters"], rows)
