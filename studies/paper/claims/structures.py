"""Claims on structure: shares of generators that have one, in which networks, and causality (1, 2, 13 and 15)."""

from collections import Counter
from collections.abc import Collection
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
    all_of,
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
    """What would be found if only some nulls were asked: the largest of their p-values, corrected within the run.

    As in the analysis, structures of all generators are corrected together (Benjamini-Hochberg), those of singular
    values by themselves, and operators too.
    """

    def of(spectral: bool) -> dict[tuple[int, str, str], float]:
        return {
            (place, structure, on): _p_value(some[score], nulls)
            # A structure that fails its condition counts as a test with p = 1.
            if structure not in CONDITIONS or some[CONDITIONS[structure]].value > 0.5
            else 1.0
            for place, generator in enumerate(scores.generators)
            for on, some in generator.scores.items()
            for structure, score in STRUCTURES.items()
            if (structure in SPECTRAL) == spectral and some[score].p_values  # by construction there is nothing to test
        }

    operators = {
        (place, f"{OPERATOR}: {family}", on): _p_value(number, nulls)
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
    return mean(any((structure, place) in item for place in on) for item in found)


def share_found(scores: Scores, structure: str) -> float:
    return share(found(scores), structure)


def share_on_u(scores: Scores, structure: str) -> float:
    """The share with a structure on what the data can say: the whole, where they speak to all of it."""
    return mean(
        any((structure, on) in item.findings for on in ANYWHERE[item.facts["dimension"] != scores.size :])
        for item in scores.generators
    )


def share_undecided(scores: Scores, structure: str) -> float:
    """The share without a structure in which too few different draws exist to decide on it."""
    return mean(
        any(name == structure for name, _ in item.undecided) and not any(name == structure for name, _ in item.findings)
        for item in scores.generators
    )


def _p_value(number: Number, nulls: Collection[str]) -> float:
    return max((p for null, p in number.p_values.items() if null in nulls), default=1.0)


EMERGING = tuple(controls.PARTS)
POWER = 0.8  # of generators that have a structure: where fewer of them show it, that it was not found says nothing


def emergence(number: int, runs: str, measured: Measured) -> Statement:
    rate = measured.runs[0].false_discovery_rate
    whole, through = ([item[way] for item in measured.planted] for way in (controls.WHOLE, controls.THROUGH_FILTERS))
    shares = {
        name: compare(name, partial(share_found, structure=name), measured, rate, [item[name] for item in whole])
        for name in EMERGING
    }
    on_u = [
        compare(f"{name}, on U", partial(share_on_u, structure=name), measured, rate, [item[name] for item in through])
        for name in EMERGING
    ]
    undecided = {name: _undecided(measured, name) for name in EMERGING}
    seen = [None if undecided[name] > 0.5 else _seen(item, rate) for name, item in shares.items()]
    details: list[str] = []
    if left_open := [name for name, item in shares.items() if _seen(item, rate) is None and item.beyond() is False]:
        words = f"in fewer than {POWER:g} of generators where it is planted, or this was not asked"
        details.append(f"not found and left open, for it would be found {words}: {', '.join(left_open)}")
    if any(undecided.values()):
        words = ", ".join(f"{name} {share:.2g}" for name, share in undecided.items())
        details.append(
            f"generators that too few different draws leave undecided, at most of runs and controls: {words}"
        )
    return stated(
        number,
        runs,
        of_parts(seen),
        (table(f"Share of generators: {runs}", [*shares.values(), *on_u], "may be false"),),
        details,
        shares="; ".join(map(str, shares.values())),
        rate=rate,
        by_layer=_by_layer(measured.runs) or "none",
    )


def in_a_plain_cnn(runs: str, measured: Measured) -> Statement:
    statement = emergence(15, runs, measured)
    dimensions: dict[str, set[int]] = {}
    for item in (item for scores in measured.runs for item in scores.generators):
        if (dimension := item.facts["dimension"]) is not None:
            dimensions.setdefault(_layer(item), set()).add(int(dimension))
    counted = ", ".join(f"{layer}: {'/'.join(map(str, sorted(some)))}" for layer, some in dimensions.items())
    more = (f"dimensions that the data speak to: {counted}", "the free networks beside it are unfolded ones")
    return replace(statement, details=(*statement.details, *more))


def causal_averaging(runs: str, measured: Measured) -> Statement:
    sign = compare("causal sign", of_best("skew-symmetric", lambda item: item.score("causal sign")), measured)
    skew = compare("skew-symmetric", of_best("skew-symmetric", lambda item: item.score("skew-symmetric")), measured)
    share = estimate([share_found(item, "skew-symmetric") for item in measured.runs])
    beyond = sign.beyond()
    verdict = graded(all_of([beyond, sign.runs.above(0.5)]), beyond)
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
    samples = [measured.runs, *(some for some in measured.controls.values() if some)]
    return max(mean(share_undecided(item, structure) for item in some) for some in samples)


def _by_layer(runs: list[Scores]) -> str:
    places = Counter(
        (name, _layer(item))
        for scores in runs
        for item in scores.generators
        for name in {name for name, _ in item.findings}
        if name in EMERGING
    )
    return ", ".join(f"{name} in {layer}: {count}" for (name, layer), count in sorted(places.items()))


def _layer(item: GeneratorScores) -> str:
    return item.name.split(", ")[0]
