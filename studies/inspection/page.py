"""What was found, as tables for people and as `docs/inspect.md`."""

from functools import partial
from typing import Any

from studies.inspection.networks import network_tables
from studies.inspection.unrelated import LATER
from studies.tables import Cells, by_part, rate_table, rates

#: The commit that fixed the tests and their thresholds: the families of `studies.inspection.later` were written
#: after it.
FIXED = "e36fbc4"

WORDS = {
    "unrelated": """### Unrelated banks

The share of banks in which a twin group is called, where every filter was drawn by itself. At most 0.05 of all, and 0.1
of any family, may be. *Others*: any other twins (negatives, channels, shifts, scalings). *Lookalikes*: the share of
filters that look like another one, turned or flipped, at a cosine of 0.8: what the eye sees in banks where there is
nothing. *Largest gap*: of any transformation, on average; 0.25 is needed. Families marked * were written after the
tests and thresholds were fixed (commit {fixed}).""",
    "orbits": """### Planted orbits

48 of 64 Gabors, 3x7x7, in orbits of a flip, of C4 or D4, with noise, in random order and of random sign; and harder
cases, of which nothing was asked. The share in which the group is found, just that one; *members*: the share of filters
that are with just their mates, or outside where they should be; *power*: what the inspection says of itself.""",
    "balance": """### Balance

The share of transformations that are called what they are, and the share that are called the opposite (or anything,
where *neither* is right).""",
    "following": """### From layer to layer

Two layers that commute with quarter turns: the share in which just the turns go on; and unrelated layers, of which none
should. *Cosine*: of the quarter turn, or the highest of all.""",
}
MORE = ("others", "lookalikes", "largest gap", "members", "power", "opposite", "cosine")


def page(result: dict[str, Any], networks: dict[str, Any] | None) -> str:
    """`docs/inspect.md` between its markers: what networks have, and how far the tests can be trusted."""
    return "\n\n".join([*network_tables(networks), "## How far to trust it", describe(result)])


def describe(result: dict[str, Any]) -> str:
    """The tables of all parts that were measured."""
    return by_part(result, {part: partial(_part, part) for part in WORDS})


def _part(part: str, cells: Cells) -> str:
    rows = rates(cells, _name, MORE)
    if part == "unrelated":
        rows += [row._replace(bound={"limit": 0.05}) for row in rates(cells, lambda _: "all", MORE)]
    return f"{WORDS[part].format(fixed=FIXED)}\n\n{rate_table(rows)}"


def _name(key: dict[str, Any]) -> str:
    """What tells a row from others: seeds are its cases."""
    shown = {name: value for name, value in key.items() if name not in ("part", "seed")}
    named = [str(shown.pop(name)) for name in ("kind", "input") if name in shown]
    mark = " *" if named and named[0] in LATER else ""
    return ", ".join([*named, *(f"{name} {value}" for name, value in shown.items())]) + mark
