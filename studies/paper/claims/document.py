"""The claims as a page: a verdict each, with the numbers behind it."""

from lgn.text import markdown_table
from studies.paper.claims.statement import Statement, Table

HEAD = """# The paper's claims

Made by `lgn reproduce claims`.{used} The run is the unit: intervals are Student's, of differences Welch's, at 95 %, and
a verdict needs five runs. Verdicts: *holds*, *holds in part*, *not seen*, *not tested*.

The verdict is on the preset `paper`, the settings of the text; that on `released`, the settings of the authors' code,
stands beside it where the claim was judged there too.

Three controls stand beside numbers of generators, made of filters that are as smooth and have no operator between
them ([what of the paper's structures is real](../docs/structures.md)). *Free networks* have no generator: filters are
taken as sets as they stand. *Re-paired* are the filters of the same networks, each element of a set drawn from another
set. With *other inputs* a generator has the right singular vectors of another one of its network. *Beyond all*: the
runs exceed each control, and the value that must be exceeded where there is one, by the whole interval. *Planted* is
the same share where the structure was put into these networks: what would not be found there is left open, and not
called absent.

| | claim | `paper` | `released` |
|---|---|---|---|
"""


def document(statements: list[Statement], used: str) -> str:
    """A table of verdicts, then each claim with its effect, its null and what it was measured on."""
    rows = [f"| {each.number} | {each.claim} | **{each.verdict}** | {each.released or ''} |" for each in statements]
    return HEAD.format(used=used) + "\n".join(rows) + "\n\n" + "\n\n".join(_section(each) for each in statements) + "\n"


def _section(each: Statement) -> str:
    lines = [f"## {each.number}. {each.claim}", "", f"**{each.verdict}** (measured on: {each.runs})", ""]
    lines += [f"- effect: {each.effect}"]
    lines += [f"- chance: {each.null}"] if each.null else []
    lines += [f"- {detail}" for detail in each.details]
    return "\n".join([*lines, *(_table(table) for table in each.tables)])


def _table(table: Table) -> str:
    return f"\n{table.title}\n\n{markdown_table(table.heads, table.rows)}"
