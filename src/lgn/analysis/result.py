"""The analysis of all generators of a model, or of any matrices."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lgn.actions import Patch, size_text
from lgn.analysis import tables
from lgn.analysis.generator import GeneratorAnalysis
from lgn.files import decode, encode, read_json, write_json


@dataclass(frozen=True, repr=False)
class Analysis:
    """The result of `lgn.analyze`. `print` shows it as a table."""

    generators: tuple[GeneratorAnalysis, ...]
    #: First draws of each null model, and the most draws of any test.
    draws: int
    most_draws: int
    seed: int
    false_discovery_rate: float
    #: Numbers of tests that were corrected together: of structures, and of matches with operators.
    tests: int
    match_tests: int
    nulls: tuple[str, ...]

    @property
    def patches(self) -> tuple[Patch, ...]:
        """The sizes of the patches that generators act on, the smallest first."""
        return tuple(sorted({generator.patch for generator in self.generators}))

    @property
    def patch(self) -> Patch:
        """The size of the patches that all generators act on."""
        if len(self.patches) > 1:
            raise ValueError(f"generators must have one patch, got {self.patches}; use generator.patch")
        return self.patches[0]

    @property
    def order(self) -> int | None:
        """The order of all generators; None if it is not known or differs."""
        orders = {generator.order for generator in self.generators}
        return orders.pop() if len(orders) == 1 else None

    def __repr__(self) -> str:
        sizes = ", ".join(map(size_text, self.patches))
        found = sum(1 for generator in self.generators if generator.findings)
        return f"<Analysis of {len(self.generators)} generators on {sizes} patches, {found} with findings>"

    def __str__(self) -> str:
        return tables.text_table(self)

    def _repr_html_(self) -> str:
        return tables.html_table(self)

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row for each generator: findings, spectrum and all scores."""
        try:
            import pandas
        except ImportError:
            raise ValueError("pandas must be installed to make a frame: pip install 'lgn[tables]'") from None
        return pandas.DataFrame(tables.columns(self)).set_index("generator")

    def save(self, path: str | Path) -> None:
        """Write the analysis as JSON, completely or not at all."""
        write_json(Path(path), encode(self), indent=None)

    @classmethod
    def load(cls, path: str | Path) -> "Analysis":
        """Read a file that `save` wrote."""
        return decode(cls, {name: value for name, value in read_json(Path(path)).items() if name != "schema"})
