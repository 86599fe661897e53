"""Claims on structure: shares of generators that have one, in which networks, and causality (1, 2, 13 and 15)."""

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from statistics import mean

import torch

from lgn.analysis.generator import IDENTIFIABLE, WHOLE
from lgn.analysis.nulls import FRESH, GAUSSIAN, ORBITS, RELABELLED, SHUFFLED
from lgn.analysis.scores import CONDITIONS, SPECTRAL, STRUCTURES
from lgn.stats import benjamini_hochberg
from studies.paper.claims.statement import (
    Comparison,
    Measured,
    Statement,
    compare,
    estimate,
    graded,
    of_best,
    of_parts,
    stated,
    table,
)
from studies.paper.excerpt import GeneratorScores, Number, Scores
from studies.truth import controls

#: Nulls whose draws have no smoothness: every trained filter is smoother than they are.
WHITE = frozenset({GAUSSIAN, ORBITS, RELABELLED, SHUFFLED, FRESH})
OPERATOR = "a known operator"
ANYWHERE = (WHOLE, IDENTIFIABLE)
Found = list[set[tuple[str, str]]]  # for each generator, (structure, of what)


def found(scores: Scores) -> Found:
    return [{*item.findings, *((OPERATOR, on) for _, on in item.operators)} for item in scores.generators]


def found_under(scores: Scores, nulls: Collection[str] = WHITE) -> Found:
    """The findings under the given nulls: the largest of their p-values, corrected within the run (Benjamini-Hochberg).

    As in the analysis, structures of matrices, structures of singular values and operators are corrected separately.
    """
    tests: dict[str, dict[tuple[int, str, str], float]] = {"structures": {}, "spectra": {}, "operators": {}}
    for place, generator in enumerate(scores.generators):
        for on, numbers in generator.scores.items():
            for structure, score in STRUCTURES.items():
                if numbers[score].p_values:
                    holds = structure not in CONDITIONS or numbers[CONDITIONS[structure]].value > 0.5
                    p_value = _p_value(numbers[score], nulls) if holds else 1.0
                    tests["spectra" if structure in SPECTRAL else "structures"][place, structure, on] = p_value
        for on, numbers in generator.matches.items():
            for family, number in numbers.items():
                tests["operators"][place, f"{OPERATOR}: {family}", on] = _p_value(number, nulls)
    result: Found = [set() for _ in scores.generators]
    for p_values in tests.values():
        adjusted = benjamini_hochberg(torch.tensor(list(p_values.values()), dtype=torch.float64))
        for (place, name, on), value in zip(p_values, adjusted.tolist(), strict=True):
            if value <= scores.false_discovery_rate:
                result[place].add((name.split(":")[0], on))
    return result


def share(found: Found, structure: str, on: Collection[str] = ANYWHERE) -> float:
    return mean(any((structure, place) in item for place in on) for item in found)


def share_found(scores: Scores, structure: str) -> float:
    return share(found(scores), structure)


def share_on_u(scores: Scores, structure: str) -> float:
    """The share with a structure on the identifiable subspace, which can be the whole space."""
    return mean(
        any((structure, on) in item.findings for on in ANYWHERE[item.facts["dimension"] != scores.size :])
        for item in scores.generators
    )


def share_undecided(scores: Scores, structure: str) -> float:
    """The share without a structure for which too few different draws exist."""
    return mean(
        structure in dict(item.undecided) and structure not in dict(item.findings) for item in scores.generators
    )


def _p_value(number: Number, nulls: Collection[str]) -> float:
    return max((p for null, p in number.p_values.items() if null in nulls), default=1.0)


EMERGING = tuple(controls.PARTS)
POWER = 0.8  # the share of planted structures that must be found before a missing one is called absent


def emergence(number: int, runs: str, measured: Measured) -> Statement:
    rate = measured.runs[0].false_discovery_rate

    def shares(ending: str, share: Callable[..., float], way: str) -> dict[str, Comparison]:
        planted = {name: [of[way][name] for of in measured.planted] for name in EMERGING}
        return {
            name: compare(name + ending, partial(share, structure=name), measured, rate, planted[name])
            for name in EMERGING
        }

    whole, on_u = shares("", share_found, controls.WHOLE), shares(", on U", share_on_u, controls.THROUGH_FILTERS)
    undecided = {name: _undecided(measured, name) for name in EMERGING}
    seen = {name: _seen(item, rate) for name, item in whole.items()}
    details = []
    if left_open := [name for name, item in whole.items() if seen[name] is None and item.beyond() is False]:
        text = f"in fewer than {POWER:g} of generators where it is planted, or this was not asked"
        details.append(f"not found and left open, for it would be found {text}: {', '.join(left_open)}")
    if any(undecided.values()):
        text = ", ".join(f"{name} {share:.2g}" for name, share in undecided.items())
        details.append(f"generators that too few different draws leave undecided, at most of runs and controls: {text}")
    return stated(
        number,
        runs,
        of_parts(None if undecided[name] > 0.5 else seen[name] for name in EMERGING),
        (table(f"Share of generators: {runs}", [*whole.values(), *on_u.values()], "may be false"),),
        details,
        shares="; ".join(map(str, whole.values())),
        rate=rate,
        by_layer=_by_layer(measured.runs) or "none",
    )


def in_a_plain_cnn(runs: str, measured: Measured) -> Statement:
    statement = emergence(15, runs, measured)
    dimensions: dict[str, set[int]] = {}
    for item in (item for scores in measured.runs for item in scores.generators):
        if item.facts["dimension"] is not None:
            dimensions.setdefault(_layer(item), set()).add(int(item.facts["dimension"]))
    counted = ", ".join(f"{layer}: {'/'.join(map(str, sorted(found)))}" for layer, found in dimensions.items())
    more = (f"dimensions that the data speak to: {counted}", "the free networks beside it are unfolded ones")
    return replace(statement, details=(*statement.details, *more))


def causal_averaging(runs: str, measured: Measured) -> Statement:
    sign = compare("causal sign", of_best("skew-symmetric", lambda item: item.score("causal sign")), measured)
    skew = compare("skew-symmetric", of_best("skew-symmetric", lambda item: item.score("skew-symmetric")), measured)
    share = estimate([share_found(item, "skew-symmetric") for item in measured.runs])
    verdict = graded(sign.beyond(), sign.runs.above(0.5))
    tables = (table(f"The most skew-symmetric generator: {runs}", [sign, skew]),)
    return stated(13, runs, verdict, tables, sign=sign, share=share)


def nearest_operators(title: str, runs: list[Scores]) -> str:
    families = Counter(
        nearest if (nearest := next(iter(item.matches[WHOLE])), WHOLE) in item.operators else "none beyond chance"
        for scores in runs
        for item in scores.generators
    )
    counts = ", ".join(f"{name} {count}" for name, count in families.most_common())
    return f"nearest operator on {title}, generators of {len(runs)} runs: {counts}"


def _seen(share: Comparison, may_be_false: float) -> bool | None:
    found = share.runs.mean > may_be_false
    would_be = share.planted is not None and share.planted.mean >= POWER
    return share.beyond() if found or would_be else None


def _undecided(measured: Measured, structure: str) -> float:
    samples = [measured.runs, *filter(None, measured.controls.values())]
    return max(mean(share_undecided(item, structure) for item in runs) for runs in samples)


def _by_layer(runs: list[Scores]) -> str:
    places = Counter(
        (name, _layer(item))
        for scores in runs
        for item in scores.generators
        for name in EMERGING
        if name in dict(item.findings)
    )
    return ", ".join(f"{name} in {layer}: {count}" for (name, layer), count in sorted(places.items()))


def _layer(item: GeneratorScores) -> str:
    return item.name.split(", ")[0]
