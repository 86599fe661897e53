"""The claims as a page: a verdict each, with the numbers behind it."""

from lgn.recipes.claims.statement import Statement

HEAD = """# The paper's claims

Made by `lgn reproduce claims`.{used} The run is the unit: intervals are bootstraps over runs, and a single run has
none, nor a verdict. Verdicts: *holds*, *holds in part*, *not seen*, *not tested*.

The verdict is on the preset `paper`, the settings of the text; that on `released`, the settings of the authors' code,
stands beside it where the claim was judged there too.

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
    return "\n".join(lines)
