"""The null models of matrices, and counts of their draws that reach the statistics of the observed matrices."""

import math
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from lgn.analysis import nulls, scores
from lgn.analysis.dictionary import UNPLACED, dictionary
from lgn.analysis.subject import Subject

#: A draw this close to the observed number counts as reaching it: draws are float32, and ties are not evidence.
TIE = 1e-5
#: Numbers in the draws of one step of work: 500 matrices of 6x6 patches, one of 28x28.
NUMBERS = 500 * 36**2

Draws = tuple[Tensor, Tensor | None]  # matrices (count, d, d) and, if they are restricted, the projectors on their U


@dataclass(frozen=True)
class NullModel:
    """A null model of several matrices."""

    name: str
    applies: Tensor  # (C,) bool: the statistics that it can judge
    #: Matrices with the same key share their draws; None if the model does not apply to a matrix.
    keys: Sequence[Hashable]
    draw: Callable[[int, int], Draws]  # (member, count)


class NullDistributions:
    """The null models of several matrices of one patch, and counts of their draws.

    The statistics of a matrix are its scores and its largest cosine with each family of operators, C in total. With
    `restricted`, all matrices are `A P_U`, with the U of the matrix or, where a draw has filters, its own U.
    """

    def __init__(self, subjects: Sequence[Subject], random: torch.Generator, restricted: bool = False) -> None:
        self.subjects, self.patch, self.restricted = subjects, subjects[0].patch, restricted
        self.names = scores.names_for(self.patch) + tuple(dictionary(self.patch).families)
        self.models = (_on_u if restricted else _whole)(subjects, self.names, random)
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
            for name, r in scores.dimensions(self.patch).items():
                column = self.names.index(name)
                self.exact[:, column] = nulls.beta_p_value(self.observed[:, column], r, subjects[0].d)

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

    def _observe(self, subject: Subject) -> Tensor:
        if self.restricted:
            return self._statistics((subject.matrix @ subject.projector)[None], subject.projector, self.names)
        return self._statistics(subject.matrix[None], None, self.names)

    def _statistics(self, a: Tensor, projector: Tensor | None, names: Sequence[str]) -> Tensor:
        """The named statistics of a batch, (B, d, d) -> (B, len(names))."""
        columns = scores.score(a, self.patch, [name for name in names if name in scores.SPATIAL])
        known = dictionary(self.patch, a.dtype)
        for name in names:
            if name not in columns:
                columns[name] = known.cosines(a, projector, known.families[name]).abs().amax(-1)
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


def _whole(subjects: Sequence[Subject], names: Sequence[str], random: torch.Generator) -> list[NullModel]:
    """The null models of whole matrices of one patch, the strictest first (see Note [Draws])."""
    d, patch, members = subjects[0].d, subjects[0].patch, range(len(subjects))
    masks = _Masks(names)
    as32 = [subject.matrix.float() for subject in subjects]
    families = [None if subject.fresh_starts is None else id(subject.fresh_starts) for subject in subjects]
    remixed = cache(lambda i: nulls.Remixed(subjects[i].matrix, patch))  # made on demand: most matrices need few models
    matched = cache(lambda i: nulls.Matched(subjects[i].matrix, patch))
    return [
        NullModel(nulls.REMIXED, masks.smooth, members, lambda i, n: (remixed(i)(n, random), None)),
        NullModel(nulls.MATCHED, masks.smooth, members, lambda i, n: (matched(i)(n, random), None)),
        NullModel(nulls.GAUSSIAN, masks.all, [0] * len(subjects), lambda _, n: (nulls.gaussian(n, d, random), None)),
        NullModel(nulls.RELABELLED, masks.spatial, members, lambda i, n: (nulls.relabelled(as32[i], n, random), None)),
        NullModel(nulls.SHUFFLED, masks.entries, members, lambda i, n: (nulls.shuffled(as32[i], n, random), None)),
        NullModel(nulls.FRESH, masks.tested, families, lambda i, n: (_fresh(subjects[i], n), None)),
    ]


def _on_u(subjects: Sequence[Subject], names: Sequence[str], random: torch.Generator) -> list[NullModel]:
    """The null models of `A P_U`.

    U depends on the generator, so a random matrix on the U of another one would make any generator look like a finding.
    If the filters are known, every draw is restricted to the U of its own orbits.
    """
    d, patch, members = subjects[0].d, subjects[0].patch, range(len(subjects))
    masks = _Masks(names)

    def on_own_u(member: int, draws: Tensor) -> Draws:
        subject = subjects[member]
        if subject.filters is None or subject.sets is None:
            return draws @ subject.projector.float(), subject.projector
        return nulls.own_orbits(draws, subject.filters, len(subject.sets))

    def on_u(member: int, count: int) -> Draws:
        return nulls.gaussian(count, d, random, subjects[member].basis), subjects[member].projector

    with_filters = [None if subject.filters is None else i for i, subject in enumerate(subjects)]
    with_starts = [None if subject.fresh_starts is None else i for i, subject in enumerate(subjects)]
    remixed = cache(lambda i: nulls.Remixed(subjects[i].matrix, patch))

    @cache
    def repaired(member: int) -> nulls.Repaired:
        sets = {i: subject.sets for i, subject in enumerate(subjects) if subject.sets is not None}
        same = [i for i, own in sets.items() if own.shape == sets[member].shape]
        return nulls.Repaired(torch.stack([sets[i] for i in same]), same.index(member), patch)

    return [
        NullModel(nulls.REMIXED, masks.smooth, members, lambda i, n: on_own_u(i, remixed(i)(n, random))),
        NullModel(nulls.REPAIRED, masks.tested, with_filters, lambda i, n: repaired(i)(n, random)),
        NullModel(nulls.GAUSSIAN, masks.all, members, on_u),
        NullModel(nulls.ORBITS, masks.tested, with_filters, lambda i, n: on_own_u(i, nulls.gaussian(n, d, random))),
        NullModel(nulls.FRESH, masks.tested, with_starts, lambda i, n: on_own_u(i, _fresh(subjects[i], n))),
    ]


class _Masks:
    """Masks (C,) over the statistics: the scores by name, and the families of operators."""

    def __init__(self, names: Sequence[str]) -> None:
        self.all = torch.ones(len(names), dtype=torch.bool)
        self.tested = torch.tensor([name not in scores.UNTESTED for name in names])
        self.spatial = self.tested & torch.tensor([scores.SPATIAL.get(name, name not in UNPLACED) for name in names])
        self.smooth = self.tested & torch.tensor([scores.SMOOTH.get(name, True) for name in names])
        self.entries = torch.tensor([name == "permutation" for name in names])


def _fresh(subject: Subject, count: int) -> Tensor:
    assert subject.fresh_starts is not None
    draws = torch.as_tensor(subject.fresh_starts(count)).detach().float()
    expected = (count, subject.d, subject.d)
    if draws.shape != expected:
        raise ValueError(f"fresh_starts must return shape {expected}, got {tuple(draws.shape)}")
    return draws
