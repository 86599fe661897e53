"""Which null models apply to which statistics of which matrices."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from lgn.analysis import nulls, scores
from lgn.analysis.dictionary import UNPLACED
from lgn.analysis.subject import Subject

Draws = tuple[Tensor, Tensor | None]  # matrices (count, d, d) and, if they are restricted, the projectors on their U


@dataclass(frozen=True)
class NullModel:
    """A null model of several matrices."""

    name: str
    applies: Tensor  # (C,) bool: the statistics that it can judge
    #: Matrices with the same key share their draws; None if the model does not apply to a matrix.
    keys: Sequence[Hashable]
    draw: Callable[[int, int], Draws]  # (member, count)


def whole(subjects: Sequence[Subject], names: Sequence[str], random: torch.Generator) -> list[NullModel]:
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


def restricted(subjects: Sequence[Subject], names: Sequence[str], random: torch.Generator) -> list[NullModel]:
    """The null models of `A P_U`.

    U depends on the generator, so a random matrix on the U of another one would make any generator look like a finding.
    If the filters are known, every draw is restricted to the U of its own orbits.
    """
    d, patch, members = subjects[0].d, subjects[0].patch, range(len(subjects))
    masks = _Masks(names)
    filter_sets = _filter_sets(subjects)

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
    repaired = cache(lambda i: nulls.Repaired(*filter_sets[i], patch))
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
    if draws.shape != (count, subject.d, subject.d):
        expected = (count, subject.d, subject.d)
        raise ValueError(f"fresh_starts must return shape {expected}, got {tuple(draws.shape)}")
    return draws


def _filter_sets(subjects: Sequence[Subject]) -> dict[int, tuple[Tensor, int]]:
    """For every subject with known filters, all sets of the same shape (S, order, d, N), and its own index."""
    sets = {i: subject.sets for i, subject in enumerate(subjects) if subject.sets is not None}
    result: dict[int, tuple[Tensor, int]] = {}
    for shape in {own.shape for own in sets.values()}:
        members = [i for i, own in sets.items() if own.shape == shape]
        together = torch.stack([sets[i] for i in members])
        result |= {member: (together, place) for place, member in enumerate(members)}
    return result
