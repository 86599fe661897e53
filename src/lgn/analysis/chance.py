"""How often chance does as well: draws of each null that applies, counted against what was observed."""

import math
from collections.abc import Iterator, Sequence

import torch
from torch import Tensor

from lgn.analysis import applying, nulls, scores
from lgn.analysis.applying import Null
from lgn.analysis.dictionary import dictionary
from lgn.analysis.subject import Subject

#: A draw within this of the observed number counts as reaching it: draws are float32, and ties are not evidence.
TIE = 1e-5
#: Numbers in the draws that are worked on at a time: 500 matrices of 6x6 patches, one of 28x28.
NUMBERS = 500 * 36**2


class Chance:
    """The nulls of some matrices of one patch, and how often their draws reach the observed statistics.

    The statistics of a matrix are its scores and its largest cosine with each family of operators, C in all. With
    `restricted` everything is that of `A P_U`, with the U of each matrix or, where a draw has filters, its own.
    """

    def __init__(self, subjects: Sequence[Subject], random: torch.Generator, restricted: bool = False) -> None:
        self.subjects, self.patch, self.restricted = subjects, subjects[0].patch, restricted
        self.names = scores.names_for(self.patch) + dictionary(self.patch).families
        self.nulls = (applying.restricted if restricted else applying.whole)(subjects, self.names, random)
        matrices = [each.matrix @ each.projector if restricted else each.matrix for each in subjects]
        # Each has its own U, so its own lengths of the operators on it.
        observed = [
            self._statistics(a[None], each.projector if restricted else None, self.names)
            for a, each in zip(matrices, subjects, strict=True)
        ]
        self.observed = torch.cat(observed)  # (G, C)
        shape = self.observed.shape
        #: P-values by formula under the Gaussian null, NaN where there is none.
        self.exact = torch.full(shape, math.nan, dtype=torch.float64)
        #: For each null the draws made, how many of them reached the observed number, how many went beyond it, and
        #: their sum.
        self.draws, self.reached, self.beyond = (
            {null.name: torch.zeros(shape, dtype=torch.int64) for null in self.nulls} for _ in range(3)
        )
        self.sums = {null.name: torch.zeros(shape, dtype=torch.float64) for null in self.nulls}
        if not restricted:
            d = subjects[0].d
            for name, r in scores.dimensions(self.patch).items():
                column = self.names.index(name)
                self.exact[:, column] = nulls.beta_p_value(self.observed[:, column], r, d)

    def applies(self, null: Null) -> Tensor:
        """Which statistics of which matrices a null speaks to, (G, C)."""
        speaks = torch.tensor([key is not None for key in null.keys])
        return speaks[:, None] & null.applies[None, :]

    def draw(self, null: Null, wanted: Tensor, count: int) -> None:
        """Make `count` more draws of a null for the wanted (G, C) statistics, and count those that reach them."""
        if null.name == nulls.GAUSSIAN:
            wanted = wanted & self.exact.isnan()
        most = max(1, NUMBERS // self.subjects[0].d ** 2)
        for members, size in _samples(null, wanted, count, most):
            columns = wanted[members].any(0).nonzero().flatten()
            names = tuple(self.names[column] for column in columns)
            values = self._statistics(*null.draw(int(members[0]), size), names).double()  # (size, columns)
            place = (members[:, None], columns[None, :])
            observed, asked = self.observed[place][:, None], wanted[place]
            self.reached[null.name][place] += (values[None] >= observed - TIE).sum(1) * asked
            self.beyond[null.name][place] += (values[None] > observed + TIE).sum(1) * asked
            self.draws[null.name][place] += size * asked
            self.sums[null.name][place] += values.sum(0) * asked

    def p_values(self) -> dict[str, Tensor]:
        """`(1 + reached) / (1 + draws)` for each null, (G, C), or the exact formula; NaN where a null is silent."""
        result = {}
        for null in self.reached:
            p = (1 + self.reached[null].double()) / (1 + self.draws[null].double())
            p[self.draws[null] == 0] = math.nan
            result[null] = torch.where(self.exact.isnan(), p, self.exact) if null == nulls.GAUSSIAN else p
        return result

    def expected(self) -> Tensor:
        """What chance gives on average under the null that gives most, (G, C)."""
        means = {null: self.sums[null] / self.draws[null] for null in self.draws}
        for name, r in scores.dimensions(self.patch).items() if not self.restricted else ():
            means[nulls.GAUSSIAN][:, self.names.index(name)] = r / self.subjects[0].d ** 2
        return torch.stack(list(means.values())).nan_to_num(-1).amax(0).clamp(min=0)

    def unbeaten(self, member: int, columns: Sequence[int]) -> bool:
        """Whether no draw of any null went beyond what was observed: then only ties and floors keep p-values up."""
        place = list(columns)
        return not any(bool(self.beyond[null][member, place].any()) for null in self.beyond)

    def _statistics(self, a: Tensor, projector: Tensor | None, names: Sequence[str]) -> Tensor:
        """The named statistics of a batch, (B, d, d) -> (B, len(names))."""
        columns = scores.score(a, self.patch, [name for name in names if name in scores.SPATIAL])
        families = [name for name in names if name not in scores.SPATIAL]
        if families:
            maxima = dictionary(self.patch, a.dtype).maxima(a, projector, families)
            columns |= dict(zip(families, maxima.unbind(-1), strict=True))
        return torch.stack([columns[name] for name in names], dim=-1)


def _samples(null: Null, wanted: Tensor, count: int, most: int) -> Iterator[tuple[Tensor, int]]:
    """Which matrices a sample serves, and its size, `most` draws at a time."""
    served: dict[object, list[int]] = {}
    for member in wanted.any(1).nonzero().flatten().tolist():
        if null.keys[member] is not None:
            served.setdefault(null.keys[member], []).append(member)
    for members in served.values():
        for begin in range(0, count, most):
            yield torch.tensor(members), min(most, count - begin)
