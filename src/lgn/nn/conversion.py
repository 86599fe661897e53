"""What `convert` did."""

from dataclasses import dataclass, field

from lgn.text import Html, bar, html_table


@dataclass
class Conversion:
    """What `convert` did, layer by layer; printed as a table."""

    converted: dict[str, str] = field(default_factory=dict)
    left_alone: dict[str, str] = field(default_factory=dict)
    filter_error: dict[str, float] = field(default_factory=dict)  # relative, where started from the filters

    def __str__(self) -> str:
        rows = [f"  {name}: {what}{self._error(name)}" for name, what in self.converted.items()]
        kept = [f"  {name}: {why}" for name, why in self.left_alone.items()]
        return "\n".join(["converted:", *(rows or ["  nothing"]), "left alone:", *(kept or ["  nothing"])])

    def _repr_html_(self) -> str:
        rows = [(name, bar(1, 24), what + self._error(name)) for name, what in self.converted.items()]
        rows += [(name, Html(""), f"left alone: {why}") for name, why in self.left_alone.items()]
        return html_table(("layer", "converted", ""), rows)

    def _error(self, name: str) -> str:
        return f", filters kept to {self.filter_error[name]:.1e}" if name in self.filter_error else ""
