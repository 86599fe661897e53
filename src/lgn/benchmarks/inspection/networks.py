"""What the study of published networks found (`results/inspect.json`), as tables."""

from typing import Any


def network_tables(study: dict[str, Any] | None) -> list[str]:
    """A summary of all networks, and a table for the first layer of each."""
    if study is None:
        return ["No network has been studied yet."]
    networks = study["networks"]
    return ["## What networks have", _summary(networks), *(_details(each) for each in networks if each["detailed"])]


def _summary(networks: list[dict[str, Any]]) -> str:
    lines = [
        ["network", "licence", "layer", "filters", "twins", "gap", "balanced under", "broken under", "lookalikes", "power"],
    ]
    for network in networks:
        for layer in network["layers"]:
            places = [row for row in layer["rows"] if row["kind"] == "place"]
            broken = [row["name"] for row in places if row["balance"] == "broken"]
            lines.append(
                [
                    network["name"],
                    network["licence"],
                    layer["name"],
                    "x".join(map(str, layer["shape"])),
                    _group(layer["group"]),
                    f"{max((row['gap'] for row in places), default=0):.2f}",
                    _group(layer["balanced_group"]),
                    ", ".join(broken) or "nothing",
                    _share(layer),
                    f"{layer['power']:.1f}",
                ]
            )
    words = (
        "First layers, and every layer of the networks that come with the package. *Gap*: the largest of any turn, flip "
        "or transposition; 0.25 is needed. *Lookalikes*: filters that look like another one, turned or flipped."
    )
    return f"{words}\n\n{_table(lines)}"


def _details(network: dict[str, Any]) -> str:
    layer = network["layers"][0]
    lines = [
        ["", "twins", "p, corrected", "p, twist", "p, gap", "gap", "alike", "by chance", "self", "balance", "rho", "as smooth", "in rings"]
    ]
    for row in layer["rows"]:
        balance = [row["balance"] or ""] + [
            "" if row[name] is None else f"{row[name]:.2f}" for name in ("rho", "smooth_reference", "ring_reference")
        ]
        lines.append(
            [
                row["name"],
                "yes" if row["twins"] else "no",
                *(f"{row[name]:.2g}" for name in ("p_value", "p_twist", "p_gap")),
                f"{row['gap']:.2f}",
                str(row["alike"]),
                f"{row['alike_by_chance']:.1f}",
                str(row["self_symmetric"]),
                *balance,
            ]
        )
    down, right = layer["off_centre"]
    top, bottom, left, last = layer["window"]
    words = [f"{network['words']} Energy {down:+.2f} pixels down and {right:+.2f} right of the middle"]
    words.append(f"; rows {top} to {bottom} and columns {left} to {last} inspected")
    words.append(f"; {len(layer['dead'])} dead and {len(layer['flat'])} constant filters left out.")
    whole = network.get("whole")
    if whole:
        words.append(
            f" All {whole['inspected']} layers with kernels of at least 3x3 ({whole['left_alone']} others): twins in "
            f"{whole['with_twins']}, balanced in {whole['balanced']}, going on to the next layer in {whole['carried']} of "
            f"{whole['pairs']} pairs; {whole['seconds']:.0f} seconds, {whole['megabytes']:,.0f} MB."
        )
    return f"### {network['name']}\n\n{''.join(words)}\n\n{_table(lines)}"


def _group(group: dict[str, Any]) -> str:
    return "none" if group["order"] == 1 else f"{group['name']} ({', '.join(group['elements'][1:])})" if group["order"] < 8 else group["name"]


def _share(layer: dict[str, Any]) -> str:
    return "" if layer["lookalikes"] is None else f"{layer['lookalikes']} of {layer['filters']}"


def _table(lines: list[list[str]]) -> str:
    lines = [lines[0], ["---"] * len(lines[0]), *lines[1:]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
