"""From what chance said to what is reported: the scores, matches and findings of one matrix."""

import math
from dataclasses import dataclass

from torch import Tensor

from lgn.actions import Patch
from lgn.analysis import fourier, scores
from lgn.analysis.chance import Chance
from lgn.analysis.dictionary import dictionary
from lgn.analysis.generator import IDENTIFIABLE, WHOLE, Finding, Fourier, Match, Score, Undecided
from lgn.analysis.matching import nearest, order_by_excess, parameter_of
from lgn.analysis.significance import Hypothesis
from lgn.analysis.specificity import most_specific_first

STRUCTURES, SPECTRA, MATCHES = "structures", "spectra", "matches"  # corrected each by itself


def hypotheses_of(index: int, chance: Chance) -> list[Hypothesis]:
    """Everything that is tested on the matrices of one Chance: structures not there by law, and operators."""
    place = {name: column for column, name in enumerate(chance.names)}
    found = []
    for member, subject in enumerate(chance.subjects):
        for each in scores.structures_for(subject.patch):
            if each.name not in subject.by_construction:
                # A condition asks for more than one half, not for more than chance.
                void = any(float(chance.observed[member, place[name]]) <= 0.5 for name in each.conditions)
                columns = tuple(place[name] for name in each.scores)
                found.append(Hypothesis(index, member, each.name, columns, _group(each.name), void))
        for family in dictionary(chance.patch).families:
            found.append(Hypothesis(index, member, family, (place[family],), MATCHES))
    return found


@dataclass(frozen=True)
class Verdicts:
    """The p-value and the adjusted p-value of every hypothesis on the matrices of one Chance."""

    chance: Chance
    on: str
    rate: float
    expected: Tensor  # (G, C)
    p_values: dict[str, Tensor]  # null -> (G, C)
    judged: dict[tuple[int, str, str], tuple[Hypothesis, float, float]]  # (member, group, name) -> p, adjusted p

    @classmethod
    def of(
        cls, index: int, chance: Chance, hypotheses: list[Hypothesis], p: Tensor, adjusted: Tensor, rate: float
    ) -> "Verdicts":
        numbers = zip(hypotheses, p.tolist(), adjusted.tolist(), strict=True)
        judged = {(h.member, h.group, h.name): (h, one, two) for h, one, two in numbers if h.chance == index}
        on = IDENTIFIABLE if chance.restricted else WHOLE
        return cls(chance, on, rate, chance.expected(), chance.p_values(), judged)

    def scores(self, member: int) -> tuple[Score, ...]:
        """All scores of one matrix, with those of its start beside them."""
        subject = self.chance.subjects[member]
        start = subject.start
        if start is not None and self.chance.restricted:
            start = start @ subject.projector
        begun = None if start is None else scores.score(start, self.chance.patch)
        parts = {name for each in scores.STRUCTURES for name in each.scores if each.name in subject.by_construction}
        alone = {each.name for each in scores.STRUCTURES if each.scores == (each.name,)}
        result = []
        for column, name in enumerate(scores.names_for(subject.patch)):
            p_values = {} if name in parts else self._p_values(member, column)
            tested = bool(p_values) and name not in scores.UNTESTED
            result.append(
                Score(
                    name=name,
                    score=float(self.chance.observed[member, column]),
                    chance=float(self.expected[member, column]),
                    p_values=p_values,
                    p_value=max(p_values.values()) if tested else None,
                    adjusted_p_value=self.judged[member, _group(name), name][2] if tested and name in alone else None,
                    start=None if begun is None else float(begun[name]),
                    by_construction=name in parts,
                )
            )
        return tuple(result)

    def findings(self, member: int) -> list[Finding]:
        """The structures whose adjusted p-value is at most the false-discovery rate, the most specific first."""
        found = []
        for each in scores.STRUCTURES:
            hypothesis, p, adjusted = self.judged.get((member, _group(each.name), each.name), (None, 1.0, 1.0))
            if hypothesis is not None and adjusted <= self.rate:
                # Of a joint finding the weakest part speaks for it.
                weakest = min(hypothesis.columns, key=lambda column: float(self.chance.observed[member, column]))
                score, chance = float(self.chance.observed[member, weakest]), float(self.expected[member, weakest])
                beyond = tuple(dict.fromkeys(null for c in hypothesis.columns for null in self._p_values(member, c)))
                found.append(Finding(each.name, score, chance, p, adjusted, beyond, self.on, each.words))
        subject = self.chance.subjects[member]
        if not self.chance.restricted or subject.basis is None:
            return most_specific_first(found, subject.matrix, subject.patch, subject.d)
        seen = subject.matrix @ subject.projector
        return most_specific_first(found, seen, subject.patch, subject.basis.shape[1])

    def undecided(self, member: int) -> list[Undecided]:
        """What no draw surpassed, and the floor of a p-value keeps from being a finding."""
        found = []
        for (of, _, name), (hypothesis, p, adjusted) in self.judged.items():
            if of != member or hypothesis.void or adjusted <= self.rate:
                continue
            exact = self.chance.exact[member, list(hypothesis.columns)].nan_to_num(0)
            if float(exact.max()) <= self.rate / len(self.judged) and self.chance.unbeaten(member, hypothesis.columns):
                column = hypothesis.columns[0]
                by_null = self._p_values(member, column)
                null = max(by_null, key=by_null.__getitem__)
                found.append(Undecided(name, float(self.chance.observed[member, column]), p, null, self.on))
        return found

    def matches(self, member: int) -> tuple[Match, ...]:
        """The nearest member of each family of operators to one matrix, the nearest family first."""
        found = {}
        subject = self.chance.subjects[member]
        basis = subject.basis if self.chance.restricted else None
        # What chance explains is not worth refining.
        families = dictionary(self.chance.patch).families
        promising = [name for name in families if self.judged[member, MATCHES, name][1] <= 0.05]
        for name, (keywords, cosine) in nearest(subject.matrix, self.chance.patch, basis, promising).items():
            column = self.chance.names.index(name)
            chance = float(self.expected[member, column])
            _, p, adjusted = self.judged[member, MATCHES, name]
            found[name] = Match(
                name=name,
                parameter=parameter_of(name, keywords),
                cosine=cosine,
                relative_error=max(0.0, 1 - cosine**2) ** 0.5,
                chance=chance,
                excess=(abs(cosine) - chance) / max(1 - chance, 1e-12),
                p_values=self._p_values(member, column),
                p_value=p,
                adjusted_p_value=adjusted,
                keywords=keywords,
            )
        return tuple(found[name] for name in order_by_excess({name: m.excess for name, m in found.items()}))

    def _p_values(self, member: int, column: int) -> dict[str, float]:
        values = {null: float(table[member, column]) for null, table in self.p_values.items()}
        return {null: p for null, p in values.items() if p == p}  # a null that does not apply is NaN


def _group(structure: str) -> str:
    return SPECTRA if structure in scores.SPECTRAL else STRUCTURES


def fourier_of(all_scores: tuple[Score, ...], patch: Patch) -> tuple[Fourier, ...]:
    """The places on the appendix' line from random to circulant (app. D), from the circulant scores."""
    by_name = {each.name: each.score for each in all_scores}
    shares = {"1-D": by_name["circulant"]}
    if len(patch) == 2:
        shares["2-D"] = by_name["doubly block-circulant"]
    places = {basis: fourier.position(share, math.prod(patch)) for basis, share in shares.items()}
    return tuple(Fourier(basis, shares[basis], place, place > 0.5) for basis, place in places.items())
