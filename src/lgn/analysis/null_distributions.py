"""Counts of the draws of null models that reach the statistics of the observed matrices."""

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from lgn.analysis import null_models, nulls, scores
from lgn.analysis.dictionary import dictionary
from lgn.analysis.null_models import NullModel
from lgn.analysis.subject import Subject

#: A draw this close to the observed number counts as reaching it: draws are float32, and ties are not evidence.
TIE = 1e-5
#: Numbers in the draws of one step of work: 500 matrices of 6x6 patches, one of 28x28.
NUMBERS = 500 * 36**2


class NullDistributions:
    """The null models of several matrices of one patch, and counts of their draws.

    The statistics of a matrix are its scores and its largest cosine with each family of operators, C in total. With
    `restricted`, all matrices are `A P_U`, with the U of the matrix or, where a draw has filters, its own U.
    """

    def __init__(self, subjects: Sequence[Subject], random: torch.Generator, restricted: bool = False) -> None:
        self.subjects, self.patch, self.restricted = subjects, subjects[0].patch, restricted
        self.names = scores.names_for(self.patch) + tuple(dictionary(self.patch).families)
        self.models = (null_models.restricted if restricted else null_models.whole)(subjects, self.names, random)
        self.observed = torch.cat([self._observe(subject) for subject in subjects])  # (G, C)
        shape = self.observed.shape
        #: P-values by formula under the Gaussian null model, NaN if there is no formula.
        self.exact = torch.full(shape, math.nan, dtype=torch.float64)
        #: For each model: the number of draws, of draws that reached the observed number, of draws beyond it.
        self.draws, self.reached, self.beyond = (
            {model.name: torch.zeros(shape, dtype=torch.int64) for model in self.models} for _ in range(3)
        )
        self.sums = {model.name: torch.zeros(shape, dtype=torch.float64) for model in self.models}
        if not restricted:
            d = subjects[0].d
            for name, r in scores.dimensions(self.patch).items():
                column = self.names.index(name)
                self.exact[:, column] = nulls.beta_p_value(self.observed[:, column], r, d)

    def applies(self, model: NullModel) -> Tensor:
        """The statistics of the matrices that a model can judge, (G, C)."""
        members = torch.tensor([key is not None for key in model.keys])
        return members[:, None] & model.applies[None, :]

    def draw(self, model: NullModel, wanted: Tensor, count: int) -> None:
        """Make `count` more draws for the wanted (G, C) statistics, and count the draws that reach them."""
        if model.name == nulls.GAUSSIAN:
            wanted = wanted & self.exact.isnan()
        most = max(1, NUMBERS // self.subjects[0].d ** 2)
        for members, size in _samples(model, wanted, count, most):
            columns = wanted[members].any(0).nonzero().flatten()
            names = tuple(self.names[column] for column in columns)
            values = self._statistics(*model.draw(int(members[0]), size), names).double()  # (size, columns)
            index = (members[:, None], columns[None, :])
            observed, counted = self.observed[index][:, None], wanted[index]
            self.reached[model.name][index] += (values[None] >= observed - TIE).sum(1) * counted
            self.beyond[model.name][index] += (values[None] > observed + TIE).sum(1) * counted
            self.draws[model.name][index] += size * counted
            self.sums[model.name][index] += values.sum(0) * counted

    def p_values(self) -> dict[str, Tensor]:
        """`(1 + reached) / (1 + draws)` for each model, (G, C), or the formula; NaN if a model does not apply."""
        result = {}
        for name in self.reached:
            p = (1 + self.reached[name].double()) / (1 + self.draws[name].double())
            p[self.draws[name] == 0] = math.nan
            result[name] = torch.where(self.exact.isnan(), p, self.exact) if name == nulls.GAUSSIAN else p
        return result

    def expected(self) -> Tensor:
        """The mean statistic under the model with the largest mean, (G, C)."""
        means = {name: self.sums[name] / self.draws[name] for name in self.draws}
        for name, r in scores.dimensions(self.patch).items() if not self.restricted else ():
            means[nulls.GAUSSIAN][:, self.names.index(name)] = r / self.subjects[0].d ** 2
        return torch.stack(list(means.values())).nan_to_num(-1).amax(0).clamp(min=0)

    def unbeaten(self, member: int, column: int) -> bool:
        """Whether no draw exceeds the observed statistic: then only ties and few draws keep its p-value large."""
        return not any(bool(counts[member, column]) for counts in self.beyond.values())

    def _observe(self, subject: Subject) -> Tensor:
        if self.restricted:
            return self._statistics((subject.matrix @ subject.projector)[None], subject.projector, self.names)
        return self._statistics(subject.matrix[None], None, self.names)

    def _statistics(self, a: Tensor, projector: Tensor | None, names: Sequence[str]) -> Tensor:
        """The named statistics of a batch, (B, d, d) -> (B, len(names))."""
        columns = scores.score(a, self.patch, [name for name in names if name in scores.SPATIAL])
        families = [name for name in names if name not in scores.SPATIAL]
        if families:
            maxima = dictionary(self.patch, a.dtype).maxima(a, projector, families)
            columns |= dict(zip(families, maxima.unbind(-1), strict=True))
        return torch.stack([columns[name] for name in names], dim=-1)


def _samples(model: NullModel, wanted: Tensor, count: int, most: int) -> Iterator[tuple[Tensor, int]]:
    """The matrices that share a sample, and its size: at most `most` draws at a time."""
    by_key: dict[object, list[int]] = {}
    for member in wanted.any(1).nonzero().flatten().tolist():
        if model.keys[member] is not None:
            by_key.setdefault(model.keys[member], []).append(member)
    for members in by_key.values():
        for begin in range(0, count, most):
            yield torch.tensor(members), min(most, count - begin)
