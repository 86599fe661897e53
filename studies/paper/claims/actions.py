"""Claims on actions: Fourier, known operators, the identity, and what task and data change (3, 4, 5, 10, 11 and 12)."""

from dataclasses import replace
from functools import partial
from math import atanh
from statistics import mean
from typing import Any

import torch
from torch import Tensor

from lgn.analysis.generator import WHOLE
from lgn.measures import relative_error
from studies.paper.claims.statement import (
    Measured,
    Statement,
    all_of,
    compare,
    difference,
    estimate,
    fact,
    graded,
    of_best,
    of_parts,
    over_generators,
    stated,
    table,
)
from studies.paper.claims.structures import share_found
from studies.paper.excerpt import GeneratorScores, Scores
from studies.paper.figures import SETTINGS, Setting
from studies.truth.controls import OTHER_INPUTS, REPAIRED

#: The effect of a structure on the identity: its description, the score of the structure, and the name of the fact.
EFFECTS = {
    "skew: darker towards later pixels, minus the correlation with place": ("skew-symmetric", "darkening"),
    "Toeplitz: energy within one pixel of the diagonal": ("Toeplitz", "near the diagonal"),
    "multi-scale: difference across the antidiagonal, in standard deviations": (
        "quadrant signs",
        "across the antidiagonal",
    ),
}
COMPOSITION, PARTS = "pooling then rotation", ("pooling", "rotation")


def between_random_and_circulant(runs: str, measured: Measured) -> Statement:
    place = compare("place", of_best("Toeplitz", lambda item: fact(item, "place")), measured)
    score = compare("Toeplitz score", of_best("Toeplitz", lambda item: item.score("Toeplitz")), measured)
    found = ([item for item in scores.generators if "Toeplitz" in dict(item.findings)] for scores in measured.runs)
    places = [mean(fact(item, "place") for item in toeplitz) for toeplitz in found if toeplitz]
    return stated(
        4,
        runs,
        of_parts([place.runs.above(0.5), place.beyond()]),
        (table(f"The most Toeplitz generator: {runs}", [place, score]),),
        place=place,
        places=f"place {estimate(places)}" if places else "there is none",
    )


def composition_beats_parts(runs: str, measured: Measured) -> Statement:
    rate = measured.runs[0].false_discovery_rate
    gain = compare("cosine more than chance, less that of the better part", over_generators(_gain), measured, 0)
    share = compare("share that is beyond chance, and nearer than both parts", over_generators(_wins), measured, rate)
    largest = max(item.matches[WHOLE][COMPOSITION].value for scores in measured.runs for item in scores.generators)
    verdict = of_parts([gain.beyond(), share.beyond()])
    tables = (table(f"Pooling then rotation: {runs}", [gain, share]),)
    return stated(5, runs, verdict, tables, gain=gain, share=share, largest=largest)


def _gain(item: GeneratorScores) -> float:
    excess = {name: number.value - number.chance for name, number in item.matches[WHOLE].items()}
    return excess[COMPOSITION] - max(excess[name] for name in PARTS)


def _wins(item: GeneratorScores) -> float:
    return float(any(name == COMPOSITION for name, _ in item.operators) and _gain(item) > 0)


def effects_on_identity(runs: str, measured: Measured) -> Statement:
    compared = [
        compare(text, of_best(score, partial(fact, name=name)), measured) for text, (score, name) in EFFECTS.items()
    ]
    verdict = of_parts(one.beyond() for one in compared)
    tables = (table(f"Effects on the identity: {runs}", compared),)
    return stated(10, runs, verdict, tables, compared="; ".join(map(str, compared)))


def product_errors(learned: dict[Setting, Tensor]) -> dict[str, dict[str, float]]:
    """The distance of each learned composition to the product of its learned parts, and to the nearest wrong product.

    Wrong products have another radius, another angle, or the other order.
    """
    rotations = {s.degrees: matrix for s, matrix in learned.items() if s.radius == 1}
    poolings = {s.radius: matrix for s, matrix in learned.items() if s.degrees == 0}
    errors = {}
    for setting in (s for s in SETTINGS if s.radius > 1 and s.degrees):
        products = {(d, r): rotation @ pool for d, rotation in rotations.items() for r, pool in poolings.items()}
        right = products.pop((setting.degrees, setting.radius))
        wrong = [*products.values(), poolings[setting.radius] @ rotations[setting.degrees]]
        distances = [float(relative_error(learned[setting], item)) for item in (right, *wrong)]
        errors[setting.title] = {"right": distances[0], "nearest wrong": min(distances[1:])}
    return errors


def products_of_learned(measured: dict[str, Any]) -> Statement:
    """Claim 12: the learned composition is learned rotation times learned pooling.

    measured: "data", and "seeds" with the `product_errors` of each seed
    """
    seeds = measured["seeds"]
    right = estimate([max(item["right"] for item in seed.values()) for seed in seeds])
    nearer = estimate([min(item["nearest wrong"] - item["right"] for item in seed.values()) for seed in seeds])
    verdict = graded(nearer.above(0), right.below(0.1))
    details = [
        f"{title}: {values['right']:.2g}, nearest wrong product {values['nearest wrong']:.2g}"
        for title, values in seeds[0].items()
    ]
    return stated(12, measured["data"], verdict, details=details, right=right, nearer=nearer)


BLOCKS = "concentrated blocks"


def likeness(one: Scores, other: Scores) -> float:
    """The correlation, over scores, of the mean scores of two runs less chance."""
    return float(torch.corrcoef(torch.stack([_profile(one), _profile(other)]))[0, 1])


def _profile(scores: Scores) -> torch.Tensor:
    columns = zip(*(item.scores[WHOLE].values() for item in scores.generators), strict=True)
    return torch.tensor([mean(number.value - number.chance for number in column) for column in columns])


def task_dependence(runs: str, classified: Measured, rebuilt: Measured) -> Statement:
    """Claim 3, on one data set: tasks differ more than seeds do, and reconstruction has energy in few blocks."""
    seeds = _likenesses(*disjoint(classified.runs)) + _likenesses(*disjoint(rebuilt.runs))
    tasks = _likenesses(classified.runs, rebuilt.runs)
    gap = difference(_fisher(seeds), _fisher(tasks)) if seeds else None
    if gap is not None:  # the number of runs decides whether there are enough, not the number of pairs
        gap = replace(gap, runs=len(classified.runs), others=len(rebuilt.runs))
    score = over_generators(lambda item: item.score(BLOCKS))
    more = difference([score(item) for item in rebuilt.runs], [score(item) for item in classified.runs])
    own = compare("energy in a tenth of the blocks, reconstruction", score, rebuilt)
    in_blocks = all_of([more.above(0), *(own.ahead[name].above(0) for name in (REPAIRED, OTHER_INPUTS))])
    shares = [
        compare(f"share with {BLOCKS}, {task}", partial(share_found, structure=BLOCKS), of)
        for task, of in (("reconstruction", rebuilt), ("classification", classified))
    ]
    verdict = of_parts([None if gap is None else gap.above(0), in_blocks])
    values: dict[str, Any] = {"tasks": _mean(tasks), "seeds": _mean(seeds), "gap": gap or "too few seeds", "more": more}
    return stated(3, runs, verdict, (table(f"Blocks: {runs}", [own, *shares]),), **values)


def same_on_both(runs: str, one: Measured, other: Measured, apart: Measured) -> Statement:
    others = {
        "the other data set": other.runs,
        "the other task": apart.runs,
        "the other data set, re-paired": other.controls[REPAIRED],
    }
    alike = {name: _likenesses(one.runs, runs) for name, runs in others.items()}
    data, *kinds = map(_fisher, alike.values())
    than_tasks, than_unpaired = (estimate([a - b for a, b in zip(data, kind, strict=False)]) for kind in kinds)
    return stated(
        11,
        runs,
        graded(than_tasks.above(0), than_unpaired.above(0)),
        alike=", ".join(f"{name} {_mean(values)}" for name, values in alike.items()),
        than_tasks=than_tasks,
        than_unpaired=than_unpaired,
    )


def between_data_sets(one: list[Scores], other: list[Scores]) -> str:
    alike, seeds = _mean(_likenesses(one, other)), _mean(_likenesses(*disjoint(one)))
    text = "mean correlation of scores less chance, between CIFAR-10 and MNIST"
    return f"{text}: {alike}; between seeds on CIFAR-10: {seeds}"


def disjoint(runs: list[Scores]) -> tuple[list[Scores], list[Scores]]:
    """The first, third, ... and the second, fourth, ... runs: no run is in two pairs."""
    return runs[::2], runs[1::2]


def _likenesses(runs: list[Scores], others: list[Scores]) -> list[float]:
    return [likeness(*pair) for pair in zip(runs, others, strict=False)]


def _fisher(correlations: list[float]) -> list[float]:
    return [atanh(min(item, 1 - 1e-9)) for item in correlations]


def _mean(values: list[float]) -> str:
    return f"{mean(values):.3f} ({len(values)} pair{'s' if len(values) > 1 else ''})" if values else "not known"
