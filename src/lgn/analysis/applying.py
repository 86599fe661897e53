"""Which nulls apply to which statistics of which matrices: of whole matrices, and of matrices on U."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.analysis import nulls, scores
from lgn.analysis.dictionary import UNPLACED
from lgn.analysis.smoothness import Matched, Remixed, Repaired
from lgn.analysis.subject import FreshStarts, Subject

Draws = tuple[Tensor, Tensor | None]  # (count, d, d), and the projectors on their U where there is one


@dataclass(frozen=True)
class Null:
    """One null, for some matrices: what it speaks to, and how it is drawn."""

    name: str
    applies: Tensor  # (C,) bool: the statistics that it says something about
    #: One sample serves all members with the same key; None where the null is silent about a member.
    keys: Sequence[Hashable]
    draw: Callable[[int, int], Draws]  # (member, count)


def whole(subjects: Sequence[Subject], names: Sequence[str], random: torch.Generator) -> list[Null]:
    """The nulls of whole matrices, all of one patch; those first that leave least to the others (see Note [Draws])."""
    d, patch, own = subjects[0].d, subjects[0].patch, range(len(subjects))
    says = _Says(names)
    remixed = [_once(Remixed, each.matrix, patch) for each in subjects]
    matched = [_once(Matched, each.matrix, patch) for each in subjects]

    single = [each.matrix.float() for each in subjects]
    families = [None if each.fresh_starts is None else id(each.fresh_starts) for each in subjects]
    return [
        Null(nulls.REMIXED, says.smooth, own, lambda i, n: (remixed[i]()(n, random), None)),
        Null(nulls.MATCHED, says.smooth, own, lambda i, n: (matched[i]()(n, random), None)),
        Null(nulls.GAUSSIAN, says.anything, [0] * len(subjects), lambda _, n: (nulls.gaussian(n, d, random), None)),
        Null(nulls.RELABELLED, says.spatial, own, lambda i, n: (nulls.relabelled(single[i], n, random), None)),
        Null(nulls.SHUFFLED, says.single_entries, own, lambda i, n: (nulls.shuffled(single[i], n, random), None)),
        Null(nulls.FRESH, says.tested, families, lambda i, n: (_fresh(subjects[i], n), None)),
    ]


def restricted(subjects: Sequence[Subject], names: Sequence[str], random: torch.Generator) -> list[Null]:
    """The nulls of `A P_U`. A null that had no part in making U would make any generator look like a finding: where the
    filters are known, each draw is seen on the U of its own orbits.
    """
    d, patch, own = subjects[0].d, subjects[0].patch, range(len(subjects))
    says = _Says(names)
    remixed = [_once(Remixed, each.matrix, patch) for each in subjects]
    banks = _banks(subjects)

    def on_own_u(member: int, draws: Tensor) -> Draws:
        each = subjects[member]
        if each.filters is None or each.elements is None:
            return draws @ each.projector.float(), each.projector
        return nulls.own_orbits(draws, each.filters, each.elements)

    def on_u(member: int, count: int) -> Draws:
        return nulls.gaussian(count, d, random, subjects[member].basis), subjects[member].projector

    with_filters = [None if each.filters is None else i for i, each in enumerate(subjects)]
    with_starts = [None if each.fresh_starts is None else i for i, each in enumerate(subjects)]
    repaired = [_once(Repaired, *banks[i], patch) if i in banks else None for i in own]
    return [
        Null(nulls.REMIXED, says.smooth, own, lambda i, n: on_own_u(i, remixed[i]()(n, random))),
        # That few filters are mapped, and that they are alike, is no structure either.
        Null(nulls.REPAIRED, says.tested, with_filters, lambda i, n: repaired[i]()(n, random)),  # type: ignore[misc]
        Null(nulls.GAUSSIAN, says.anything, own, on_u),
        Null(nulls.ORBITS, says.tested, with_filters, lambda i, n: on_own_u(i, nulls.gaussian(n, d, random))),
        Null(nulls.FRESH, says.tested, with_starts, lambda i, n: on_own_u(i, _fresh(subjects[i], n))),
    ]


class _Says:
    """Masks (C,) over the statistics: the scores by name, and the families of operators."""

    def __init__(self, names: Sequence[str]) -> None:
        self.anything = torch.ones(len(names), dtype=torch.bool)
        self.tested = torch.tensor([name not in scores.UNTESTED for name in names])
        self.spatial = self.tested & torch.tensor([scores.SPATIAL.get(name, name not in UNPLACED) for name in names])
        self.smooth = self.tested & torch.tensor([scores.SMOOTH.get(name, True) for name in names])
        self.single_entries = torch.tensor([name == "permutation" for name in names])


def _fresh(subject: Subject, count: int) -> Tensor:
    fresh_starts: FreshStarts | None = subject.fresh_starts
    assert fresh_starts is not None
    draws = torch.as_tensor(fresh_starts(count)).detach().float()
    if draws.shape != (count, subject.d, subject.d):
        expected = (count, subject.d, subject.d)
        raise ValueError(f"fresh_starts must return shape {expected}, got {tuple(draws.shape)}")
    return draws


def _banks(subjects: Sequence[Subject]) -> dict[int, tuple[Tensor, int]]:
    """For each subject whose filters are known, the sets of all like it, (S, order, d, N), and its place among them."""
    alike: dict[tuple[int, ...], list[int]] = {}
    for i, each in enumerate(subjects):
        if each.sets is not None:
            alike.setdefault(tuple(each.sets.shape), []).append(i)
    together = {i: torch.stack([subjects[j].sets for j in some]) for some in alike.values() for i in some[:1]}  # type: ignore[misc]
    return {i: (together[some[0]], place) for some in alike.values() for place, i in enumerate(some)}


def _once(kind: Callable[..., Callable], *arguments: object) -> Callable[[], Callable]:
    """A sampler that is made when it is first asked for: most matrices never need all of them."""
    made: list[Callable] = []

    def get() -> Callable:
        if not made:
            made.append(kind(*arguments))
        return made[0]

    return get
