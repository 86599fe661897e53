"""The tables of docs/evidence/groups.md."""

from studies.render import Maker, Results, times
from studies.tables import Columns, Record, Table, among, distinct, table


def planted(results: Results) -> Table:
    found = results.cells("planted")
    errors: Columns = {
        f"{method}, {noise:.0%} noise": among("{most error:.1e}", noise=noise, method=method)
        for noise in distinct(found, "noise")
        if noise != "unrelated"
        for method in distinct(found, "method")
    }
    unrelated = among("{least p_value:.2f}", noise="unrelated")
    return table(found, "task", {"group": "{task}", **errors, "unrelated, p": unrelated})


def relations(results: Results) -> Table:
    """How often the relations of the group reduce the error of a noisy bank."""
    noisy = [cell for cell in results.cells("planted") if cell["noise"] not in (0.0, "unrelated")]
    errors = {(cell["method"], cell["task"], cell["noise"], cell["seed"]): cell["error"] for cell in noisy}
    pairs = [(error, errors["relations", *key[1:]]) for key, error in errors.items() if key[0] == "least-squares"]
    smaller = sum(joint < alone for alone, joint in pairs)
    return Table(["smaller error with the relations, at 5% noise"], [[f"{smaller} of {len(pairs)}"]])


def views(results: Results) -> Table:
    """How often the group is named right, and how often right or not at all."""
    found = results.cells("views")

    def outcome(group: list[Record]) -> str:
        right, either = (sum(cell[name] for cell in group) for name in ("right", "right_or_none"))
        return f"{right}, {either} of {len(group)}"

    noises: Columns = {f"{noise:.0%} noise": among(outcome, noise=noise) for noise in distinct(found, "noise")}
    return table(found, ("data", "task"), {"group": "{task}", "images": "{data}", **noises})


TABLES: dict[str, Maker] = {"planted": planted, "relations": relations, "views": views, "time": times}
