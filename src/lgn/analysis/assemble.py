"""From p-values to the scores, matches and findings of one matrix."""

import math

from lgn.analysis import scores
from lgn.analysis.dictionary import dictionary
from lgn.analysis.generator import IDENTIFIABLE, WHOLE, Finding, Match, Score, Undecided
from lgn.analysis.matching import nearest, order_by_excess, parameter_of
from lgn.analysis.null_distributions import NullDistributions
from lgn.analysis.significance import Hypothesis
from lgn.analysis.specificity import most_specific_first

STRUCTURES, SPECTRA, MATCHES = "structures", "spectra", "matches"  # each group is corrected separately


def hypotheses_of(index: int, table: NullDistributions) -> list[Hypothesis]:
    """All hypotheses on the matrices of one table: structures that are not there by construction, and operators."""
    columns = {name: column for column, name in enumerate(table.names)}
    found = []
    for member, subject in enumerate(table.subjects):
        for name, score in scores.structures_for(subject.patch).items():
            if name not in subject.by_construction:
                condition = scores.CONDITIONS.get(name)
                void = condition is not None and float(table.observed[member, columns[condition]]) <= 0.5
                found.append(Hypothesis(index, member, name, columns[score], _group(name), void))
        for family in dictionary(table.patch).families:
            found.append(Hypothesis(index, member, family, columns[family], MATCHES))
    return found


Tested = tuple[Hypothesis, float, float]  # with its p-value and its adjusted p-value


class Results:
    """The p-values and adjusted p-values of all hypotheses on the matrices of the table with this index."""

    def __init__(self, index: int, table: NullDistributions, tested: list[Tested], rate: float) -> None:
        self.table, self.rate = table, rate
        self.on = IDENTIFIABLE if table.restricted else WHOLE
        self.expected = table.expected()  # (G, C)
        self.p_values = table.p_values()  # null model -> (G, C)
        self.tested = {(h.member, h.group, h.name): (h, p, adjusted) for h, p, adjusted in tested if h.table == index}

    def scores(self, member: int) -> tuple[Score, ...]:
        """All scores of one matrix, with the scores of its start."""
        subject = self.table.subjects[member]
        start = subject.start
        if start is not None and self.table.restricted:
            start = start @ subject.projector
        start_scores = None if start is None else scores.score(start, self.table.patch)
        given = {scores.STRUCTURES[name] for name in subject.by_construction}
        result = []
        for column, name in enumerate(scores.names_for(subject.patch)):
            p_values = {} if name in given else self._p_values(member, column)
            tested = bool(p_values) and name not in scores.UNTESTED
            adjusted = self.tested.get((member, _group(name), name))
            result.append(
                Score(
                    name=name,
                    score=float(self.table.observed[member, column]),
                    chance=float(self.expected[member, column]),
                    p_values=p_values,
                    p_value=max(p_values.values()) if tested else None,
                    adjusted_p_value=adjusted[2] if tested and adjusted else None,
                    start=None if start_scores is None else float(start_scores[name]),
                    by_construction=name in given,
                )
            )
        return tuple(result)

    def findings(self, member: int) -> list[Finding]:
        """The structures whose adjusted p-value is at most the false-discovery rate, the most specific first."""
        found = []
        for (of, group, name), (hypothesis, p, adjusted) in self.tested.items():
            if of == member and group != MATCHES and adjusted <= self.rate:
                column = hypothesis.column
                score, chance = float(self.table.observed[member, column]), float(self.expected[member, column])
                found.append(Finding(name, score, chance, p, adjusted, self.on))
        subject = self.table.subjects[member]
        if not self.table.restricted or subject.basis is None:
            return most_specific_first(found, subject.matrix, subject.patch, subject.d)
        return most_specific_first(found, subject.matrix @ subject.projector, subject.patch, subject.basis.shape[1])

    def undecided(self, member: int) -> list[Undecided]:
        """The hypotheses that no draw exceeds and that are not findings, because too few draws differ."""
        found = []
        for (of, _, name), (hypothesis, p, adjusted) in self.tested.items():
            if of != member or hypothesis.void or adjusted <= self.rate:
                continue
            column = hypothesis.column
            exact = float(self.table.exact[member, column].nan_to_num(0))
            if exact <= self.rate / len(self.tested) and self.table.unbeaten(member, column):
                by_null = self._p_values(member, column)
                null = max(by_null, key=by_null.__getitem__)
                found.append(Undecided(name, float(self.table.observed[member, column]), p, null, self.on))
        return found

    def matches(self, member: int) -> tuple[Match, ...]:
        """The nearest operator of each family to one matrix, the nearest family first."""
        found = {}
        subject = self.table.subjects[member]
        basis = subject.basis if self.table.restricted else None
        # Parameters are refined only if the family is beyond chance.
        families = dictionary(self.table.patch).families
        promising = [name for name in families if self.tested[member, MATCHES, name][1] <= 0.05]
        for name, (keywords, cosine) in nearest(subject.matrix, self.table.patch, basis, promising).items():
            column = self.table.names.index(name)
            chance = float(self.expected[member, column])
            _, p, adjusted = self.tested[member, MATCHES, name]
            found[name] = Match(
                name=name,
                parameter=parameter_of(name, keywords),
                cosine=cosine,
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
        return {null: p for null, p in values.items() if not math.isnan(p)}  # NaN: the null model does not apply


def _group(structure: str) -> str:
    return SPECTRA if structure in scores.SPECTRAL else STRUCTURES
