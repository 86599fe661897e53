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
        for structure in scores.structures_for(subject.patch):
            if structure.name not in subject.by_construction:
                # A condition requires more than one half, not more than chance.
                void = any(float(table.observed[member, columns[name]]) <= 0.5 for name in structure.conditions)
                tested = tuple(columns[name] for name in structure.scores)
                found.append(Hypothesis(index, member, structure.name, tested, _group(structure.name), void))
        for family in dictionary(table.patch).families:
            found.append(Hypothesis(index, member, family, (columns[family],), MATCHES))
    return found


Tested = tuple[Hypothesis, float, float]  # with its p-value and its adjusted p-value


class Results:
    """The p-values and adjusted p-values of all hypotheses on the matrices of one table, the one of this index."""

    def __init__(self, index: int, table: NullDistributions, tested: list[Tested], rate: float) -> None:
        self.table, self.rate = table, rate
        self.expected = table.expected()  # (G, C)
        self.p_values = table.p_values()  # null model -> (G, C)
        self.tested = {(h.member, h.group, h.name): (h, p, adjusted) for h, p, adjusted in tested if h.table == index}

    @property
    def on(self) -> str:
        """Whether the results are about whole matrices or about their restrictions."""
        return IDENTIFIABLE if self.table.restricted else WHOLE

    def scores(self, member: int) -> tuple[Score, ...]:
        """All scores of one matrix, with the scores of its start."""
        subject = self.table.subjects[member]
        start = subject.start
        if start is not None and self.table.restricted:
            start = start @ subject.projector
        start_scores = None if start is None else scores.score(start, self.table.patch)
        given = {
            name
            for structure in scores.STRUCTURES
            for name in structure.scores
            if structure.name in subject.by_construction
        }
        alone = {structure.name for structure in scores.STRUCTURES if structure.scores == (structure.name,)}
        result = []
        for column, name in enumerate(scores.names_for(subject.patch)):
            p_values = {} if name in given else self._p_values(member, column)
            tested = bool(p_values) and name not in scores.UNTESTED
            result.append(
                Score(
                    name=name,
                    score=float(self.table.observed[member, column]),
                    chance=float(self.expected[member, column]),
                    p_values=p_values,
                    p_value=max(p_values.values()) if tested else None,
                    adjusted_p_value=self.tested[member, _group(name), name][2] if tested and name in alone else None,
                    start=None if start_scores is None else float(start_scores[name]),
                    by_construction=name in given,
                )
            )
        return tuple(result)

    def findings(self, member: int) -> list[Finding]:
        """The structures whose adjusted p-value is at most the false-discovery rate, the most specific first."""
        found = []
        for structure in scores.STRUCTURES:
            key = (member, _group(structure.name), structure.name)
            hypothesis, p, adjusted = self.tested.get(key, (None, 1.0, 1.0))
            if hypothesis is not None and adjusted <= self.rate:
                # The weakest score represents a finding of several scores.
                weakest = min(hypothesis.columns, key=lambda column: float(self.table.observed[member, column]))
                found.append(
                    Finding(
                        name=structure.name,
                        score=float(self.table.observed[member, weakest]),
                        chance=float(self.expected[member, weakest]),
                        p_value=p,
                        adjusted_p_value=adjusted,
                        nulls=tuple(dict.fromkeys(n for c in hypothesis.columns for n in self._p_values(member, c))),
                        on=self.on,
                        words=structure.words,
                    )
                )
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
            exact = self.table.exact[member, list(hypothesis.columns)].nan_to_num(0)
            if float(exact.max()) <= self.rate / len(self.tested) and self.table.unbeaten(member, hypothesis.columns):
                column = hypothesis.columns[0]
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
