"""`summary`: the parameters of a model, and of the same model with free filters."""

import math
from dataclasses import dataclass

from torch import nn

from lgn.nn.bank import OrbitBank
from lgn.text import bar, columns, html_table, paragraphs

HEAD = ("bank", "family", "order", "stored", "with free filters", "break-even order")


@dataclass(frozen=True)
class BankSummary:
    """The parameters of one bank, and of free filters in its place."""

    name: str
    family: str
    order: int
    stored: int
    free: int
    break_even_order: int  # the smallest order at which the bank stores no more than free filters


@dataclass(frozen=True)
class Summary:
    """The parameters of a model, and of the same model with free filters; printed as a sentence and a table."""

    stored: int
    free: int
    banks: tuple[BankSummary, ...]

    @property
    def ratio(self) -> float:
        """Stored parameters over parameters with free filters: the group saves below 1 and costs above 1."""
        return self.stored / self.free

    def _repr_html_(self) -> str:
        rows = [(*row, bar(bank.stored / bank.free)) for row, bank in zip(self._rows(), self.banks, strict=True)]
        return paragraphs(self._sentence(), html_table((*HEAD, "stored / free"), rows))

    def __str__(self) -> str:
        return "\n".join([self._sentence(), *columns([HEAD, *self._rows()])])

    def _rows(self) -> list[tuple[str, ...]]:
        numbers = [(bank.order, bank.stored, bank.free, bank.break_even_order) for bank in self.banks]
        names = [(bank.name or "bank", bank.family) for bank in self.banks]
        return [(*name, *(f"{n:,}" for n in row)) for name, row in zip(names, numbers, strict=True)]

    def _sentence(self) -> str:
        if self.ratio > 1:
            verdict = f"the group costs parameters: {self.ratio:.1f} times those of free filters"
        else:
            verdict = f"the group saves parameters: {100 * self.ratio:.0f} % of those of free filters"
        return f"{self.stored:,} parameters; {self.free:,} with free filters: {verdict}"


def summary(model: nn.Module) -> Summary:
    """Count the parameters of a model, and of the same model with free filters.

    A generator that layers share is counted once, with the first layer.
    """
    counted: set[int] = set()
    banks = []
    for name, bank in model.named_modules():
        if not isinstance(bank, OrbitBank):
            continue
        size = bank.basis.numel()
        known = sum(p.numel() for g in bank.generators() if id(g) in counted for p in g.parameters())
        stored = sum(p.numel() for p in bank.parameters()) - known
        counted.update(map(id, bank.generators()))
        family = " across ".join(type(generator).__name__ for generator in reversed(bank.generators()))
        if len(bank.group.generators) > 1:
            family += f" of {bank.group.name}"
        banks.append(BankSummary(name, family, bank.order, stored, size * bank.order, math.ceil(stored / size)))
    if not banks:
        raise ValueError(f"model must have a group layer, got {type(model).__name__} with none")
    stored = sum(parameter.numel() for parameter in model.parameters())
    return Summary(stored, stored + sum(bank.free - bank.stored for bank in banks), tuple(banks))
