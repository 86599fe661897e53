"""From p-values to the scores, matches and findings of one matrix."""

import math

from torch import Tensor

from lgn.actions import Patch
from lgn.analysis import scores, structure
from lgn.analysis.dictionary import dictionary
from lgn.analysis.generator import IDENTIFIABLE, WHOLE, Finding, Match, Score, Undecided
from lgn.analysis.matching import nearest, order_by_excess, parameter_of
from lgn.analysis.null_distributions import NullDistributions
from lgn.analysis.significance import Hypothesis
from lgn.stats import LEVEL

STRUCTURES, SPECTRA, MATCHES = "structures", "spectra", "matches"  # each group is corrected separately
#: Pairs of spaces of matrices: the larger one contains the smaller one.
WITHIN = (
    ("circulant", "Toeplitz"),
    ("circulant", "block-Toeplitz"),
    ("doubly block-circulant", "block-Toeplitz"),
    ("Toeplitz", "block-Toeplitz"),
)
MARGIN = 0.05


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
        for h, p, adjusted in self.tested.values():
            if h.member == member and h.group != MATCHES and adjusted <= self.rate:
                score, chance = (float(values[member, h.column]) for values in (self.table.observed, self.expected))
                found.append(Finding(h.name, score, chance, p, adjusted, self.on))
        subject = self.table.subjects[member]
        if not self.table.restricted or subject.basis is None:
            return _most_specific_first(found, subject.matrix, subject.patch, subject.d)
        return _most_specific_first(found, subject.matrix @ subject.projector, subject.patch, subject.basis.shape[1])

    def undecided(self, member: int) -> list[Undecided]:
        """The hypotheses that no draw exceeds and that are not findings, because too few draws differ."""
        found = []
        for h, p, adjusted in self.tested.values():
            if h.member != member or h.void or adjusted <= self.rate:
                continue
            exact = float(self.table.exact[member, h.column].nan_to_num(0))
            beaten = any(bool(counts[member, h.column]) for counts in self.table.beyond.values())
            if exact <= self.rate / len(self.tested) and not beaten:
                by_null = self._p_values(member, h.column)
                null = max(by_null, key=by_null.__getitem__)
                found.append(Undecided(h.name, float(self.table.observed[member, h.column]), p, null, self.on))
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
                excess=_excess(abs(cosine), chance),
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


def _excess(score: float, chance: float) -> float:
    """The score beyond chance, as a share of the largest possible."""
    return (score - chance) / max(1 - chance, 1e-12)


def _most_specific_first(found: list[Finding], matrix: Tensor, patch: Patch, dimensions: int) -> list[Finding]:
    """Sort the findings on one matrix (d, d).

    A finding explains its score beyond chance, as a share of the largest possible. Of two nested spaces the larger
    comes first only if it explains more than its additional dimensions explain of white noise (an F-test) and of noise
    as smooth as the matrix (its chance).

    dimensions: of the space of the matrix: d, or dim U for a restricted matrix.
    """
    explained = {finding.name: _excess(finding.score, finding.chance) for finding in found}
    second = set()
    for small, large in WITHIN:
        if small in explained and large in explained:
            more = explained[large] > explained[small] + MARGIN and adds(small, large, matrix, patch, dimensions)
            second.add(small if more else large)
    return sorted(found, key=lambda f: (f.name in scores.SPECTRAL, f.name in second, -explained[f.name]))


def adds(small: str, large: str, matrix: Tensor, patch: Patch, dimensions: int) -> bool:
    """Whether a matrix (d, d) has more energy in the larger space than the smaller space and noise give: an F-test."""
    from scipy.special import fdtrc

    shares = scores.score(matrix, patch, [small, large])
    sizes = scores.dimensions(patch)
    live = dimensions / matrix.shape[-1]
    added, rest = live * (sizes[large] - sizes[small]), live * (matrix.numel() - sizes[large])
    between, left = float(shares[large] - shares[small]), 1.0 - float(shares[large])
    if between < 1e-9 or float(structure.energy(matrix)) == 0:
        return False
    ratio = (between / added) / (left / rest) if left > 1e-12 else math.inf
    return bool(fdtrc(added, rest, ratio) <= LEVEL)
