"""The analysis of all generators of a model, or of any matrices: printed, a table; written, JSON."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lgn.actions import Patch, size_text
from lgn.analysis.generator import GeneratorAnalysis
from lgn.files import decode, encode, write_atomic

SCHEMA = 2


class OldAnalysis(ValueError):
    """An analysis by nulls that did not hold."""


@dataclass(frozen=True, repr=False)
class Analysis:
    """The analysis of all generators of one model, or of any matrices. `print` it for a table."""

    generators: tuple[GeneratorAnalysis, ...]
    #: Draws a null first has, and the most that any test at the floor was given.
    draws: int
    most_draws: int
    seed: int
    false_discovery_rate: float
    #: How many tests Benjamini-Hochberg corrected for: structures, and matches (a family of their own).
    tests: int
    match_tests: int
    nulls: tuple[str, ...]
    schema: int = SCHEMA

    @property
    def patches(self) -> tuple[Patch, ...]:
        """The sizes of patches that generators act on, the smallest first."""
        return tuple(sorted({each.patch for each in self.generators}))

    @property
    def patch(self) -> Patch:
        """The size of patches that all generators act on."""
        if len(self.patches) > 1:
            raise ValueError(f"patch must be asked of each generator where there are several, got {self.patches}")
        return self.patches[0]

    @property
    def order(self) -> int | None:
        """The order that all generators have; None where there is none, or several."""
        orders = {each.order for each in self.generators}
        return orders.pop() if len(orders) == 1 else None

    def __repr__(self) -> str:
        sizes = ", ".join(map(size_text, self.patches))
        found = sum(1 for each in self.generators if each.findings)
        return f"<Analysis of {len(self.generators)} generators on {sizes} patches, {found} with findings>"

    def __str__(self) -> str:
        from lgn.analysis.table import table  # noqa: PLC0415  (a table is made of results: it cannot come first)

        return table(self)

    def _repr_html_(self) -> str:
        from lgn.analysis.table import html_table  # noqa: PLC0415

        return html_table(self)

    def to_frame(self) -> Any:
        """A pandas DataFrame, a row for each generator: what was found, the spectrum, and every score."""
        from lgn.analysis.table import columns  # noqa: PLC0415

        try:
            import pandas
        except ImportError:
            raise ValueError("pandas must be installed to make a frame: pip install pandas") from None
        return pandas.DataFrame(columns(self)).set_index("generator")

    def to_json(self, path: str | Path | None = None) -> str:
        """The analysis as JSON text; written to `path` too, whole or not at all, where one is given."""
        text = json.dumps(encode(self), allow_nan=False, separators=(",", ":"))
        if path is not None:
            write_atomic(Path(path), text.encode())
        return text

    @classmethod
    def from_json(cls, source: str | Path) -> "Analysis":
        """Read what `to_json` wrote: the text itself, or a `Path` of the file."""
        try:
            value = json.loads(source.read_bytes() if isinstance(source, Path) else source)
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"source must be the JSON of an analysis, got text that is not JSON: {error}") from None
        schema = value.get("schema") if isinstance(value, dict) else None
        if schema != SCHEMA:
            kind = OldAnalysis if isinstance(schema, int) and schema < SCHEMA else ValueError
            raise kind(f"schema must be {SCHEMA}, got {schema!r}: analyse again, nulls and verdicts have changed")
        return decode(cls, value)

    @classmethod
    def stored(cls, path: Path) -> "Analysis | None":
        """The analysis in a file; None where there is none, or one by nulls that are no longer used."""
        if not path.is_file():
            return None
        try:
            return cls.from_json(path)
        except OldAnalysis:
            return None
