"""Claims on what an action does: Fourier, known operators, the identity (claims 4, 5, 10 and 12)."""

from statistics import mean
from typing import Any

from torch import Tensor

from lgn.analysis.generator import WHOLE
from lgn.measures import relative_error
from studies.paper.claims.statement import (
    Measured,
    Statement,
    all_of,
    compare,
    estimate,
    fact,
    graded,
    of_best,
    of_parts,
    over_generators,
    stated,
    table,
)
from studies.paper.excerpt import GeneratorScores
from studies.paper.operators import SETTINGS, Setting

COMPOSITION, PARTS = "pooling then rotation", ("pooling", "rotation")


def between_random_and_circulant(runs: str, measured: Measured) -> Statement:
    place = compare("place", of_best("Toeplitz", lambda item: fact(item, "place")), measured)
    score = compare("Toeplitz score", of_best("Toeplitz", lambda item: item.score("Toeplitz")), measured)
    found = [
        [fact(item, "place") for item in scores.generators if any(name == "Toeplitz" for name, _ in item.findings)]
        for scores in measured.runs
    ]
    places = [mean(some) for some in found if some]
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
        compare(f"{structure}: {words}", of_best(score, lambda item, name=name: fact(item, name)), measured)  # type: ignore[misc]
        for structure, score, words, name in (
            ("skew", "skew-symmetric", "darker towards later pixels, minus the correlation with place", "darkening"),
            ("Toeplitz", "Toeplitz", "energy within one pixel of the diagonal", "near the diagonal"),
            (
                "multi-scale",
                "quadrant signs",
                "difference across the antidiagonal, in standard deviations",
                "across the antidiagonal",
            ),
        )
    ]
    verdict = of_parts(one.beyond() for one in compared)
    tables = (table(f"Effects on the identity: {runs}", compared),)
    return stated(10, runs, verdict, tables, compared="; ".join(map(str, compared)))


def product_errors(learned: dict[Setting, Tensor]) -> dict[str, dict[str, float]]:
    """How far each learned composition is from the product of its learned parts, and from the nearest wrong product.

    Wrong are another radius, another angle, and the two in the other order: as smooth, and not the composition.
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


def products_of_learned(data: str, seeds: list[dict[str, Any]]) -> Statement:
    """Claim 12: the learned composition is learned rotation times learned pooling; `product_errors` of each seed."""
    right = estimate([max(item["right"] for item in seed.values()) for seed in seeds])
    nearer = estimate([min(item["nearest wrong"] - item["right"] for item in seed.values()) for seed in seeds])
    verdict = graded(all_of([right.below(0.1), nearer.above(0)]), nearer.above(0))
    details = [
        f"{title}: {values['right']:.2g}, nearest wrong product {values['nearest wrong']:.2g}"
        for title, values in seeds[0].items()
    ]
    return stated(12, data, verdict, details=details, right=right, nearer=nearer)
