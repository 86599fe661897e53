"""What the benchmark found, as tables for people and as `docs/truth.md`."""

from typing import Any, NamedTuple

from lgn.markdown import markdown_table

Cells = list[dict[str, Any]]

PAGE = """# Truth: what is claimed where there is nothing, and where there is something

Made by `lgn benchmark truth` from `results/truth.json`. Every row goes through the functions that users call. *Limit*
is what a rate must not exceed, or must reach; a row that misses it is marked.

{tables}
"""
#: The commit that fixed the nulls and their thresholds: the last two families of matrices were written after it.
FIXED = "3e60af7"

BOUNDS = {"limit": "at most", "at_least": "at least"}
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
    texts = []
    for part, words in WORDS.items():
        chosen = [cell for cell in result["cells"] if cell["key"]["part"] == part]
        if chosen:
            minutes = sum(cell["processor_seconds"] for cell in chosen) / 60
            texts.append(
                f"{words}\n\n{_table(chosen)}\n\n{len(chosen)} cells, {minutes:.1f} minutes of processor time."
            )
    return "\n\n".join(texts)


class Row(NamedTuple):
    """One kind of case, over its seeds and networks."""

    name: str
    cases: int
    rate: float
    bound: dict[str, float]  # "limit" or "at_least", where there is one
    more: dict[str, float]

    @property
    def right(self) -> bool:
        return self.bound.get("at_least", 0) - 1e-9 <= self.rate <= self.bound.get("limit", 1) + 1e-9

    def has(self, bound: str) -> bool:
        return bound in self.bound


def missed(result: dict[str, Any]) -> list[str]:
    """The rows whose rate is beyond its limit."""
    parts = [[cell for cell in result["cells"] if cell["key"]["part"] == part] for part in WORDS]
    return [row.name for part in parts for row in rows(part) if not row.right]


def rows(cells: Cells) -> list[Row]:
    """The rows of a part."""
    groups: dict[str, Cells] = {}
    for cell in cells:
        groups.setdefault(_name(cell["key"]), []).append(cell)
    result = []
    for name, some in groups.items():
        count = sum(cell["count"] for cell in some)
        means = {
            what: sum(cell[what] * cell["count"] for cell in some) / count
            for what in ("rate", *MORE)
            if what in some[0]
        }
        bound = {what: float(some[0][what]) for what in BOUNDS if what in some[0]}
        result.append(Row(name, count, means.pop("rate"), bound, means))
    return result


def _table(cells: Cells) -> str:
    extra = [name for name in MORE if any(name in cell for cell in cells)]
    head = ["", "cases", "rate", *extra, "limit", ""]
    lines = []
    for row in rows(cells):
        shown = [f"{row.more[each]:.3f}" if each in row.more else "" for each in extra]
        bound = "".join(f"{BOUNDS[what]} {value:g}" for what, value in row.bound.items())
        lines.append([row.name, f"{row.cases:,}", f"{row.rate:.3f}", *shown, bound, "" if row.right else "missed"])
    return markdown_table(head, lines)


def _name(key: dict[str, Any]) -> str:
    """What tells a row from others: seeds and networks are its cases."""
    shown = {k: v for k, v in key.items() if k not in ("part", "seed", "network", "family", "start")}
    named = [str(shown.pop(k)) for k in ("kind", "input", "bank", "pairs", "task") if k in shown]
    return ", ".join([*named, *(f"{k} {v}" for k, v in shown.items())])
