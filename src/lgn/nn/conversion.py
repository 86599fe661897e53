"""The record of a conversion."""

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import nn

from lgn.text import Html, bar, html_table


@dataclass
class Conversion:
    """The layers that `convert` or `convert_found` replaced, and the reasons why it left others alone."""

    converted: dict[str, str] = field(default_factory=dict)
    left_alone: dict[str, str] = field(default_factory=dict)
    #: The relative error of the filters, for layers that begin at the filters of the model.
    filter_error: dict[str, float] = field(default_factory=dict)

    def apply(self, model: nn.Module, replacements: Mapping[int, nn.Module]) -> nn.Module:
        """A copy of the model with layers replaced, by the `id` of the original; its attribute `conversion` is self."""
        if not replacements:
            raise ValueError(f"model must have a layer that can be converted, got none:\n{self}")
        result = copy.deepcopy(model, dict(replacements))
        result.conversion = self  # type: ignore[assignment]
        return result

    def __str__(self) -> str:
        converted = [f"  {name}: {layer}{self._error(name)}" for name, layer in self.converted.items()]
        left_alone = [f"  {name}: {reason}" for name, reason in self.left_alone.items()]
        return "\n".join(["converted:", *(converted or ["  nothing"]), "left alone:", *(left_alone or ["  nothing"])])

    def _repr_html_(self) -> str:
        rows = [(name, bar(1, 24), layer + self._error(name)) for name, layer in self.converted.items()]
        rows += [(name, Html(""), f"left alone: {reason}") for name, reason in self.left_alone.items()]
        return html_table(("layer", "converted", ""), rows)

    def _error(self, name: str) -> str:
        return f", relative error of the filters {self.filter_error[name]:.1e}" if name in self.filter_error else ""
