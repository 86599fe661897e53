"""What the study of published networks found (`results/inspect.json`), as tables."""

from typing import Any

from lgn.text import markdown_table


def network_tables(study: dict[str, Any] | None) -> list[str]:
    """A summary of all networks, and a table for the first layer of each."""
    if study is None:
        return ["No network has been studied yet."]
    networks = study["networks"]
    figure = "![Gaps and balance of first layers](../results/figures/inspect.png)"
    details = [_details(each) for each in networks if each["detailed"]]
    return ["## What networks have", _headline(networks), figure, _summary(networks), *details]


def _headline(networks: list[dict[str, Any]]) -> str:
    """What it comes to, over first layers."""
    firsts = [network["layers"][0] for network in networks if network["detailed"]]
    own = [layer for network in networks if not network["detailed"] for layer in network["layers"]]
    twins = sum(layer["group"]["order"] > 1 for layer in firsts)
    balanced = [each["name"] for each in networks if each["detailed"] and _balanced(each["layers"][0])]
    alike = sum(layer["lookalikes"] or 0 for layer in firsts) / max(1, sum(layer["filters"] for layer in firsts))
    has, own_twins = "has" if twins < 2 else "have", sum(layer["group"]["order"] > 1 for layer in own)
    return (
        f"Of {len(firsts)} published networks {twins or 'none'} {has} a group of twins in the first layer, though "
        f"{100 * alike:.0f} % of their filters look like another one, turned or flipped. Balanced, beyond what smooth "
        f"filters are anyway: {', '.join(balanced) or 'none'}. Of the {len(own)} layers of networks that come with the "
        f"package and of free controls, {own_twins} have twins and {sum(map(_balanced, own))} are balanced."
    )


def _balanced(layer: dict[str, Any]) -> bool:
    return bool(layer["balanced_group"]["order"] > 1)


def _summary(networks: list[dict[str, Any]]) -> str:
    lines: list[tuple[str, ...]] = [
        ("network", "licence", "layer", "filters", "twins", "gap", "balanced", "broken", "lookalikes", "power")
    ]
    for network in networks:
        for layer in network["layers"]:
            places = [row for row in layer["rows"] if row["kind"] == "place"]
            broken = [row["name"] for row in places if row["balance"] == "broken"]
            lines.append(
                (
                    network["name"],
                    network["licence"],
                    layer["name"],
                    "x".join(map(str, layer["shape"])),
                    _group(layer["group"]),
                    f"{max((row['gap'] for row in places), default=0):.2f}",
                    _group(layer["balanced_group"]),
                    ", ".join(broken) or "nothing",
                    "" if layer["lookalikes"] is None else f"{layer['lookalikes']} of {layer['filters']}",
                    f"{layer['power']:.1f}",
                )
            )
    words = (
        "First layers, and every layer of the networks that come with the package. *Gap*: the largest of any turn, "
        "flip or transposition; 0.25 is needed. *Balanced*, *broken*: under which. *Lookalikes*: filters that look "
        "like another one, turned or flipped. *Power*: how often twins would have been found."
    )
    return f"{words}\n\n{markdown_table(lines[0], lines[1:])}"


def _details(network: dict[str, Any]) -> str:
    layer = network["layers"][0]
    heads = ("", "twins", "p, corrected", "p, twist", "p, gap", "gap", "alike", "by chance", "self-symmetric")
    lines: list[tuple[str, ...]] = [(*heads, "balance", "rho", "as smooth", "in rings")]
    for row in layer["rows"]:
        lines.append(
            (
                row["name"],
                "yes" if row["twins"] else "no",
                *(f"{row[name]:.2g}" for name in ("p_value", "p_twist", "p_gap")),
                f"{row['gap']:.2f}",
                str(row["alike"]),
                f"{row['alike_by_chance']:.1f}",
                str(row["self_symmetric"]),
                row["balance"] or "",
                *(
                    "" if row[name] is None else f"{row[name]:.2f}"
                    for name in ("rho", "smooth_reference", "ring_reference")
                ),
            )
        )
    down, right = layer["off_centre"]
    top, bottom, left, last = layer["window"]
    words = (
        f"{network['words']} From {network['package']}. Its energy is {down:+.2f} pixels down and {right:+.2f} right "
        f"of the middle; rows {top} to {bottom} and columns {left} to {last} are inspected; {len(layer['dead'])} dead "
        f"and {len(layer['flat'])} constant filters are left out."
    )
    return f"### {network['name']}\n\n{words}{_whole(network.get('whole'))}\n\n{markdown_table(lines[0], lines[1:])}"


def _whole(whole: dict[str, Any] | None) -> str:
    """What all layers of a file come to."""
    if whole is None:
        return ""
    return (
        f" Of all {whole['inspected']} layers with kernels of at least 3x3 ({whole['left_alone']} others are left "
        f"alone) {whole['with_twins']} have twins and {whole['balanced']} are balanced; a transformation goes on to "
        f"the next layer in {whole['carried']} of {whole['pairs']} pairs. That took {whole['processor_seconds']:.0f} "
        f"seconds of one processor and {whole['megabytes']:,.0f} MB."
    )


def _group(group: dict[str, Any]) -> str:
    """The name, and the elements where another group could have it."""
    if group["order"] == 1:
        return "none"
    return group["name"] if group["order"] == 8 else f"{group['name']} ({', '.join(group['elements'][1:])})"
