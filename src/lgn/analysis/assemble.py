"""From what chance said to what is reported: the scores, matches and findings of one matrix."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.analysis import fourier, scores
from lgn.analysis.chance import Chance
from lgn.analysis.dictionary import dictionary
from lgn.analysis.matching import nearest, order_by_excess, parameter_of
from lgn.analysis.result import Finding, Fourier, Match, Score
from lgn.analysis.significance import Hypothesis

Patch = tuple[int, int]
STRUCTURES, MATCHES = "structures", "matches"


def hypotheses_of(index: int, chance: Chance, by_law: frozenset[str]) -> list[Hypothesis]:
    """Everything that is tested on the matrices of one Chance: structures not there by law, and operators."""
    place = {name: column for column, name in enumerate(chance.names)}
    found = []
    for member in range(len(chance.matrices)):
        for each in scores.STRUCTURES:
            if each.name not in by_law:
                # A condition asks for more than one half, not for more than chance.
                void = any(float(chance.observed[member, place[name]]) <= 0.5 for name in each.conditions)
                columns = tuple(place[name] for name in each.scores)
                found.append(Hypothesis(index, member, each.name, columns, STRUCTURES, void))
        for family in dictionary(chance.patch).families:
            found.append(Hypothesis(index, member, family, (place[family],), MATCHES))
    return found


@dataclass(frozen=True)
class Verdicts:
    """The p-value and the adjusted p-value of every hypothesis on the matrices of one Chance."""

    chance: Chance
    by_law: frozenset[str]
    p_values: dict[str, Tensor]  # null -> (G, C)
    judged: dict[tuple[int, str, str], tuple[float, float]]  # (member, group, name) -> (p, adjusted p)

    @classmethod
    def of(
        cls,
        index: int,
        chance: Chance,
        hypotheses: list[Hypothesis],
        p: Tensor,
        adjusted: Tensor,
        by_law: frozenset[str],
    ) -> "Verdicts":
        numbers = zip(hypotheses, p.tolist(), adjusted.tolist(), strict=True)
        judged = {(h.member, h.group, h.name): (one, two) for h, one, two in numbers if h.chance == index}
        return cls(chance, by_law, chance.p_values(), judged)

    def scores(self, member: int, start: Tensor | None) -> tuple[Score, ...]:
        """All scores of one matrix, with those of its start (d, d) beside them."""
        begun = None if start is None else scores.score(start, self.chance.patch)
        parts = {name for each in scores.STRUCTURES for name in each.scores if each.name in self.by_law}
        alone = {each.name for each in scores.STRUCTURES if each.scores == (each.name,)}
        result = []
        for column, name in enumerate(scores.NAMES):
            p_values = {} if name in parts else self._p_values(member, column)
            tested = bool(p_values) and name not in scores.UNTESTED
            result.append(
                Score(
                    name=name,
                    score=float(self.chance.observed[member, column]),
                    chance=float(self.chance.mean[member, column]),
                    p_values=p_values,
                    p_value=max(p_values.values()) if tested else None,
                    adjusted_p_value=self.judged[member, STRUCTURES, name][1] if tested and name in alone else None,
                    start=None if begun is None else float(begun[name]),
                    by_construction=name in parts,
                )
            )
        return tuple(result)

    def findings(self, member: int, on: str, rate: float) -> list[Finding]:
        """The structures whose adjusted p-value is at most the false-discovery rate."""
        found = []
        for each in scores.STRUCTURES:
            p, adjusted = self.judged.get((member, STRUCTURES, each.name), (1.0, 1.0))
            if adjusted <= rate:
                # Of a joint finding the weakest part speaks for it.
                values = [float(self.chance.observed[member, scores.NAMES.index(name)]) for name in each.scores]
                found.append(Finding(each.name, min(values), p, adjusted, on, each.words))
        return found

    def matches(self, member: int, matrix: Tensor, basis: Tensor | None = None) -> tuple[Match, ...]:
        """The nearest member of each family of operators to one matrix (d, d), the nearest family first."""
        found = {}
        # What chance explains is not worth refining.
        families = dictionary(self.chance.patch).families
        promising = [name for name in families if self.judged[member, MATCHES, name][0] <= 0.05]
        for name, (keywords, cosine) in nearest(matrix, self.chance.patch, basis, promising).items():
            column = self.chance.names.index(name)
            chance = float(self.chance.mean[member, column])
            p, adjusted = self.judged[member, MATCHES, name]
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


def fourier_of(all_scores: tuple[Score, ...], patch: Patch) -> tuple[Fourier, ...]:
    """The places on the appendix' line from random to circulant (app. D), from the circulant scores."""
    by_name = {each.name: each.score for each in all_scores}
    shares = {"1-D": by_name["circulant"], "2-D": by_name["doubly block-circulant"]}
    places = {basis: fourier.position(share, patch[0] * patch[1]) for basis, share in shares.items()}
    return tuple(Fourier(basis, shares[basis], place, place > 0.5) for basis, place in places.items())


def known_structures(names: tuple[str, ...]) -> frozenset[str]:
    """The names as a set, each checked to be a structure that can be found."""
    allowed = [each.name for each in scores.STRUCTURES]
    unknown = sorted(set(names) - set(allowed))
    if unknown:
        raise ValueError(f"by_construction must be among {allowed}, got {unknown}")
    return frozenset(names)


def checked(matrices: Tensor, patch: Patch, name: str) -> Tensor:
    """Square, finite matrices (G, d, d) of the patch in float64, or an error that names the argument."""
    if len(patch) != 2 or min(patch) < 1 or patch[0] * patch[1] < 2:
        raise ValueError(f"patch must be two sizes with at least 2 pixels in all, got {patch}")
    d = patch[0] * patch[1]
    result = torch.as_tensor(matrices).detach().cpu()
    if result.is_complex():
        raise ValueError(f"{name} must be real, got {result.dtype}")
    result = (result[None] if result.ndim == 2 else result).double()
    if result.ndim != 3 or result.shape[1:] != (d, d) or len(result) == 0:
        shape = tuple(torch.as_tensor(matrices).shape)
        raise ValueError(f"{name} must be (G, {d}, {d}) for a patch of {patch[0]}x{patch[1]}, got shape {shape}")
    if not torch.isfinite(result).all():
        raise ValueError(f"{name} must be finite, got infinities or NaN")
    return result
