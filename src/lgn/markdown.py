"""Text of numbers and tables: in Markdown for documents, in columns for a terminal."""

from collections.abc import Iterable, Sequence
from statistics import mean, stdev


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown: a line of heads, and one for each row of as many cells."""
    return "\n".join(f"| {' | '.join(line)} |" for line in [heads, ["---"] * len(heads), *rows])


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """A line for each row, each of its columns as wide as the widest cell."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]


def plus_minus(values: Sequence[float], form: str = ".2f") -> str:
    """The mean, and the standard deviation where there are two values at least."""
    return f"{mean(values):{form}}" + (f" ± {stdev(values):{form}}" if len(values) > 1 else "")
