"""What the benchmark found, as tables for people and as `docs/truth.md`."""

from functools import partial
from typing import Any

from studies.tables import Cells, Rate, by_part, rate_table, rates

PAGE = """# Truth: what is claimed where there is nothing, and where there is something

Made by `lgn benchmark truth` from `results/truth.json`. Every row goes through the functions that users call. *Asked*
is what a rate must not exceed, or must reach; a row that misses it is marked.

{tables}
"""
#: The commit that fixed the nulls and their thresholds: the last two families of matrices were written after it.
FIXED = "3e60af7"

MORE = ("first", "before")  # named first; the rate by the claim of before

WORDS = {
    "matrices": f"""## Matrices without an operator

The share of generators with any finding that depends on place, whole or on U, operator matches counted, after the
correction that an analysis makes. Networks are those of `results/runs`. *Ridge fits* and *pairs
of half-planes* were written after the nulls, their thresholds and their correction were fixed (commit {FIXED}).""",
    "models": """## Networks that were never trained

The share of networks with any finding at all, of singular values and operators too: every family of generators, three
architectures, three starts.""",
    "power": """## What is there

A structure or an operator of norm 0.6 and noise of norm 0.6, on 6x6: the share that is found, and the share in which it
is named first. What is multi-scale has a sign in each quadrant, which smooth filters have too: no number was asked of
it. Operators are also shown without noise.""",
    "fits": """## Fits

Generators of banks and maps between pairs. For what is not there, the share with p <= 0.05 (banks), or that is called
found (pairs); for what is there, the share that is found. A dimension is right within one.""",
    "search": """## The search over starts

The share of simulated searches that claim a symmetry: none is there, or all starts are better by four points; *before*
is the claim by two standard errors on the images that chose.""",
}


def page(result: dict[str, Any]) -> str:
    """The document of a measurement."""
    return PAGE.format(tables=describe(result))


def describe(result: dict[str, Any]) -> str:
    """The tables of all parts that were measured."""
    return by_part(result, {part: partial(_part, words) for part, words in WORDS.items()})


def rows(cells: Cells) -> list[Rate]:
    """The rates of a part."""
    return rates(cells, _name, MORE)


def _part(words: str, cells: Cells) -> str:
    return f"{words}\n\n{rate_table(rows(cells))}"


def _name(key: dict[str, Any]) -> str:
    """What tells a row from others: seeds and networks are its cases."""
    shown = {k: v for k, v in key.items() if k not in ("part", "seed", "network", "family", "start")}
    named = [str(shown.pop(k)) for k in ("kind", "input", "bank", "pairs", "task") if k in shown]
    return ", ".join([*named, *(f"{k} {v}" for k, v in shown.items())])
