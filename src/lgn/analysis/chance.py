"""How often chance does as well: draws of each null that applies, counted against what was observed."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.analysis import nulls, scores
from lgn.analysis.dictionary import UNPLACED, dictionary

Patch = tuple[int, int]
#: A draw within this of the observed number counts as reaching it: draws are float32, and ties are not evidence.
TIE = 1e-5
#: Draws at a time, so that what is worked on stays small.
CHUNK = 1_000


@dataclass(frozen=True)
class Seen:
    """What one generator was applied to: the span U, and where they are known the filters that it made U from."""

    basis: Tensor  # (d, dim U), orthonormal
    filters: Tensor | None = None  # W, (d, N)
    order: int = 0

    def projector(self) -> Tensor:
        return self.basis @ self.basis.T


class Chance:
    """The nulls of some matrices (G, d, d), and how often their draws reach the observed statistics.

    The statistics of a matrix are its scores and its largest cosine with each family of operators, C in all. With
    `seen` everything is restricted: the matrices are `A P_U`, the Gaussian null is `G P_U` with the same U, and where
    the filters are known also G on the U of its own orbits; fresh starts are taken on the U of their own orbits too.
    Relabelling, which would move U, does not apply.
    """

    def __init__(
        self,
        matrices: Tensor,
        patch: Patch,
        generator: torch.Generator,
        seen: list[Seen] | None = None,
        fresh_starts: nulls.FreshStarts | None = None,
    ) -> None:
        self.patch, self.generator, self.seen, self.fresh_starts = patch, generator, seen, fresh_starts
        self.names = scores.NAMES + dictionary(patch).families
        shape = (len(matrices), len(self.names))
        if seen is None:
            self.matrices = matrices
            self.observed = self._statistics(matrices, None, self.names)  # (G, C)
        else:  # Each has its own U, so its own lengths of the operators on it.
            projectors = [each.projector() for each in seen]
            self.matrices = torch.stack([a @ p for a, p in zip(matrices, projectors, strict=True)])
            pairs = zip(self.matrices.split(1), projectors, strict=True)
            self.observed = torch.cat([self._statistics(a, p, self.names) for a, p in pairs])
        self.mean = torch.zeros(shape, dtype=torch.float64)  # of the Gaussian null
        #: P-values by formula under the Gaussian null, NaN where there is none.
        self.exact = torch.full(shape, math.nan, dtype=torch.float64)
        if seen is None:
            for name, r in scores.dimensions(patch).items():
                column, d = self.names.index(name), matrices.shape[-1]
                self.exact[:, column] = nulls.beta_p_value(self.observed[:, column], r, d)
                self.mean[:, column] = r / (d * d)
        #: For each null the draws made, and how many of them reached the observed number; 0 where it is silent.
        self.draws = {null: torch.zeros(shape, dtype=torch.int64) for null in self.applying()}
        self.reached = {null: torch.zeros(shape, dtype=torch.int64) for null in self.applying()}

    def applying(self) -> dict[str, Tensor]:
        """For each null, which statistics (C,) it says something about."""
        tested = torch.tensor([name not in scores.UNTESTED for name in self.names])
        spatial = torch.tensor([scores.SPATIAL.get(name, name not in UNPLACED) for name in self.names])
        result = {nulls.GAUSSIAN: torch.ones_like(tested)}
        if self.seen is None:
            result[nulls.RELABELLED] = tested & spatial
        elif all(each.filters is not None for each in self.seen):
            result[nulls.ORBITS] = tested
        if self.fresh_starts is not None:
            result[nulls.FRESH] = tested
        return result

    def draw(self, null: str, wanted: Tensor, count: int) -> None:
        """Make `count` more draws of a null for the wanted (G, C) statistics, and count those that reach them."""
        if null == nulls.GAUSSIAN:
            wanted = wanted & self.exact.isnan()
        for members, sample in self._samples(null, wanted, count):
            columns = wanted[members].any(0).nonzero().flatten()
            names = tuple(self.names[column] for column in columns)
            pieces = [self._statistics(a, projector, names).double() for a, projector in sample]
            values = torch.cat(pieces)  # (count, columns)
            ahead = values[None] >= self.observed[members][:, None, columns] - TIE
            place = (members[:, None], columns[None, :])
            asked = wanted[place]
            first = asked & (self.draws[null][place] == 0)
            self.reached[null][place] += ahead.sum(1) * asked
            self.draws[null][place] += count * asked
            if null == nulls.GAUSSIAN:
                self.mean[place] = torch.where(first, values.mean(0), self.mean[place])

    def p_values(self) -> dict[str, Tensor]:
        """`(1 + reached) / (1 + draws)` for each null, (G, C), or the exact formula; NaN where a null is silent."""
        result = {}
        for null in self.reached:
            p = (1 + self.reached[null].double()) / (1 + self.draws[null].double())
            p[self.draws[null] == 0] = math.nan
            result[null] = torch.where(self.exact.isnan(), p, self.exact) if null == nulls.GAUSSIAN else p
        return result

    def _samples(
        self, null: str, wanted: Tensor, count: int
    ) -> Iterator[tuple[Tensor, Iterator[tuple[Tensor, Tensor | None]]]]:
        """Which matrices a sample serves, and the sample in chunks: one for all where it can be shared."""
        chunks = [CHUNK] * (count // CHUNK) + ([count % CHUNK] if count % CHUNK else [])
        members = wanted.any(1).nonzero().flatten()
        shared = self.seen is None and null != nulls.RELABELLED
        for some in (members.split(len(members)) if shared else members.split(1)) if len(members) else ():
            yield some, (self._chunk(null, int(some[0]), size) for size in chunks)

    def _chunk(self, null: str, member: int, size: int) -> tuple[Tensor, Tensor | None]:
        """Draws (size, d, d) of a null, and the projector on U that goes with them, where there is a U."""
        d = self.matrices.shape[-1]
        if null == nulls.RELABELLED:
            return nulls.relabelled(self.matrices[member].float(), size, self.generator), None
        seen = None if self.seen is None else self.seen[member]
        if null == nulls.GAUSSIAN and seen is not None:
            return nulls.gaussian(size, d, self.generator, seen.basis), seen.projector()
        draws = self._fresh(size) if null == nulls.FRESH else nulls.gaussian(size, d, self.generator)
        if seen is None:
            return draws, None
        if seen.filters is not None:
            return nulls.own_orbits(draws, seen.filters, seen.order)
        return draws @ seen.projector().float(), seen.projector()

    def _fresh(self, size: int) -> Tensor:
        assert self.fresh_starts is not None
        draws = torch.as_tensor(self.fresh_starts(size)).detach().float()
        expected = (size, *self.matrices.shape[-2:])
        if draws.shape != expected:
            raise ValueError(f"fresh_starts must return shape {expected}, got {tuple(draws.shape)}")
        return draws

    def _statistics(self, a: Tensor, projector: Tensor | None, names: tuple[str, ...]) -> Tensor:
        """The named statistics of a batch, (B, d, d) -> (B, len(names))."""
        columns = scores.score(a, self.patch, [name for name in names if name in scores.SPATIAL])
        if len(columns) < len(names):
            known = dictionary(self.patch, a.dtype)
            columns |= dict(zip(known.families, known.maxima(a, projector).unbind(-1), strict=True))
        return torch.stack([columns[name] for name in names], dim=-1)
