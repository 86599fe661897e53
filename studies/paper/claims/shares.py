"""Shares of generators that have a structure: under all nulls, or under the white ones alone."""

from collections.abc import Collection
from statistics import mean

import torch

from lgn.analysis.generator import IDENTIFIABLE, WHOLE
from lgn.analysis.nulls import FRESH, GAUSSIAN, ORBITS, RELABELLED, SHUFFLED
from lgn.analysis.scores import STRUCTURES
from lgn.stats import benjamini_hochberg
from studies.paper.excerpt import Number, Scores

#: Nulls whose draws have no smoothness: every trained filter is smoother than they are.
WHITE = frozenset({GAUSSIAN, ORBITS, RELABELLED, SHUFFLED, FRESH})
OPERATOR = "a known operator"
ANYWHERE = (WHOLE, IDENTIFIABLE)
Found = list[set[tuple[str, str]]]  # for each generator, (structure, of what)


def found(scores: Scores) -> Found:
    """What the analysis found, under all nulls that apply; every family of known operators counts as one structure."""
    return [{*each.findings, *((OPERATOR, on) for _, on in each.operators)} for each in scores.generators]


def found_under(scores: Scores, nulls: Collection[str] = WHITE) -> Found:
    """What would be found if only some nulls were asked: the largest of their p-values, corrected within the run.

    As in the analysis, structures of all generators are corrected together (Benjamini-Hochberg), those of singular
    values by themselves, and operators too.
    """

    def of(spectral: bool) -> dict[tuple[int, str, str], float]:
        return {
            (place, each.name, on): _p_value([some[name] for name in each.scores], nulls)
            # What fails a condition counts as a test that came out at 1.
            if all(some[name].value > 0.5 for name in each.conditions)
            else 1.0
            for place, generator in enumerate(scores.generators)
            for on, some in generator.scores.items()
            for each in STRUCTURES
            if each.spectral == spectral
            and all(some[name].p_values for name in each.scores)  # by construction there is nothing to test
        }

    operators = {
        (place, f"{OPERATOR}: {family}", on): _p_value([number], nulls)
        for place, generator in enumerate(scores.generators)
        for on, some in generator.matches.items()
        for family, number in some.items()
    }
    result: Found = [set() for _ in scores.generators]
    for p_values in (of(spectral=False), of(spectral=True), operators):
        adjusted = benjamini_hochberg(torch.tensor(list(p_values.values()), dtype=torch.float64))
        for (place, name, on), value in zip(p_values, adjusted.tolist(), strict=True):
            if value <= scores.false_discovery_rate:
                result[place].add((name.split(":")[0], on))
    return result


def share(found: Found, structure: str, on: Collection[str] = ANYWHERE) -> float:
    """The share of generators with a structure."""
    return mean(any((structure, place) in each for place in on) for each in found)


def share_found(scores: Scores, structure: str) -> float:
    return share(found(scores), structure)


def share_on_u(scores: Scores, structure: str) -> float:
    """The share with a structure on what the data can say: the whole, where they speak to all of it."""
    return mean(
        any((structure, on) in each.findings for on in ANYWHERE[each.facts["dimension"] != scores.size :])
        for each in scores.generators
    )


def share_undecided(scores: Scores, structure: str) -> float:
    """The share without a structure in which too few different draws exist to decide on it."""
    return mean(
        any(name == structure for name, _ in each.undecided) and not any(name == structure for name, _ in each.findings)
        for each in scores.generators
    )


def _p_value(numbers: list[Number], nulls: Collection[str]) -> float:
    return max((p for number in numbers for null, p in number.p_values.items() if null in nulls), default=1.0)
