"""The tables of docs/evidence/groups.md."""

from pathlib import Path

from studies.render import Record, Table, among, cells, distinct, entries, first, largest, smallest, table, times


def planted(results: Path) -> Table:
    """Worst errors by group, noise and method."""
    found = cells(results, "groups", "planted")
    errors = {
        f"{method}, {noise:.0%} noise": among(largest("error", ".1e"), noise=noise, method=method)
        for noise in distinct(found, "noise")
        if noise != "unrelated"
        for method in distinct(found, "method")
    }
    unrelated = among(smallest("p_value", ".2f"), noise="unrelated")
    return table(found, "task", {"group": first("task"), **errors, "unrelated, p": unrelated})


def relations(results: Path) -> Table:
    """How often the relations of the group reduce the error of a noisy bank."""
    noisy = [cell for cell in cells(results, "groups", "planted") if cell["noise"] not in (0.0, "unrelated")]
    errors = {(cell["method"], cell["task"], cell["noise"], cell["seed"]): cell["error"] for cell in noisy}
    pairs = [(error, errors["relations", *key[1:]]) for key, error in errors.items() if key[0] == "least-squares"]
    smaller = sum(joint < alone for alone, joint in pairs)
    return Table(["smaller error with the relations, at 5% noise"], [[f"{smaller} of {len(pairs)}"]])


def views(results: Path) -> Table:
    """How often the group is named right, and how often right or not at all."""
    found = cells(results, "groups", "views")

    def outcome(group: list[Record]) -> str:
        right, either = (sum(cell[name] for cell in group) for name in ("right", "right_or_none"))
        return f"{right}, {either} of {len(group)}"

    noises = {f"{noise:.0%} noise": among(outcome, noise=noise) for noise in distinct(found, "noise")}
    return table(found, ("data", "task"), {"group": first("task"), "images": first("data"), **noises})


def depth(results: Path) -> Table:
    columns = {
        "network": first("kind"),
        "error, worst seed": largest("error", ".1e"),
        "error, best seed": smallest("error", ".1e"),
        "relations": largest("relation_error", ".1e"),
    }
    return table(cells(results, "groups", "depth"), "kind", columns)


def cost(results: Path) -> Table:
    ratios = {"median ratio": first("ratio", ".3f"), "ratio of minima": first("of_minima", ".3f")}
    return table(cells(results, "groups", "cost"), ("group", "family"), entries("group", "family") | ratios)


TABLES = {
    "planted": planted,
    "relations": relations,
    "views": views,
    "depth": depth,
    "cost": cost,
    "time": times("groups"),
}
