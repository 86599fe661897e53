"""What was found against what is true: all of it, part of it, or something else."""

import math
from typing import Any

import torch
from torch import Tensor

from lgn import groups
from lgn.answer import Answer, DataSummary, Defect, Row
from lgn.data.kinds import Kind
from lgn.discovery.images.confirm import confirm
from lgn.discovery.moments.continuous import nearest_in_group
from lgn.discovery.moments.finder import Found, find_maps
from lgn.discovery.moments.moments_answer import Describer
from lgn.discovery.moments.prepare import prepare
from lgn.linalg import polar_factor
from studies.unknown.cases import Case

RIGHT = 0.1  # relative error on the directions looked at, under which a map is the one that is true
ALONG = 0.95  # cosine from which a generator is in the algebra that is true


def measure(case: Case, verify: bool = False, **options: Any) -> dict[str, Any]:
    """Discover, and compare: `found` says all generators of the group, `wrong` counts claims that are not true.

    verify: let observers look at the kept maps of images.
    """
    found, answer = discover(case, **options)
    confirmed = confirm(answer, case.x, kind="images").rows if verify else ()
    apart = [evidence.value for row in confirmed if (evidence := row.of("data")) is not None]
    return short({**compare(found, case), **facts(found, answer), "told_apart": apart})


def discover(
    case: Case, labels: Tensor | None = None, rank: int | None = None, seed: int = 0, starts: int = 100
) -> tuple[Found, Answer]:
    """`discover_moments`, with the maps on the whitened directions."""
    kind: Kind = "images" if case.x.ndim == 4 else "tables"
    sample, grid = prepare(case.x, labels, kind, seed=seed, **case.options)
    found = find_maps(sample, rank, starts)
    present = () if labels is None else tuple(labels.unique().tolist())
    data = DataSummary(kind, len(case.x), tuple(case.x.shape[1:]), tuple(map(str, present)))
    return found, Describer(found, grid, data, present).answer({}, seed)


def short(value: Any) -> Any:
    """With four digits to every number: a file of hundreds of cells stays small."""
    if isinstance(value, dict):
        return {key: short(each) for key, each in value.items()}
    if isinstance(value, list):
        return [short(each) for each in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def facts(found: Found, answer: Answer) -> dict[str, Any]:
    kept = [element for element in found.elements if element.verdict == "kept"]
    count = len(found.generators)
    generators, rows = (
        [row for row in part if row.verdict == "kept"] for part in (answer.rows[:count], answer.rows[count:])
    )
    return {
        "rank": found.frame.rank,
        "degree": found.degree,
        "clarity": found.clarity,
        "weakest": found.weakest,
        "judged": found.judged,
        "group": answer.name,
        "undecided": sum(element.verdict == "undecided" for element in found.elements),
        "names": [row.name for row in rows],
        "cosines": [_defect(row).cosine for row in rows],
        "violations": [element.judgement.violation for element in kept],
        "noises": [element.judgement.noise for element in kept],
        "generators": [row.name for row in generators],
        "ratios": [generator.ratio for generator in found.generators if generator.judgement.verdict == "kept"],
    }


def compare(found: Found, case: Case) -> dict[str, Any]:
    frame = found.frame
    truth = [polar_factor(frame.lower(each)) for each in case.elements]
    algebra = [_skew(frame.lower(each)) for each in case.generators]
    matched, errors, wrong = set(), [], 0
    for each in (element for element in found.elements if element.verdict == "kept"):
        distances = [float((each.inner - one).norm()) / math.sqrt(frame.rank) for one in truth]
        best = min(range(len(distances)), key=distances.__getitem__, default=None)
        error = math.inf if best is None else distances[best]
        if algebra and error > RIGHT:
            error = nearest_in_group(each.inner, torch.stack(algebra))
        if error > RIGHT:
            wrong += 1
        elif best is not None:
            matched.add(best)
        errors.append(min(error, 9.0))
    cosines = [
        max((abs(float((each.inner * one).sum())) for one in algebra), default=0.0)
        for each in found.generators
        if each.judgement.verdict == "kept"
    ]
    wrong += sum(cosine < ALONG for cosine in cosines)
    generated = _generated([truth[number] for number in matched])
    whole = len(_different(truth)) if truth else 1
    return {
        "claims": len(errors) + len(cosines),
        "wrong": wrong,
        "found": generated == whole and len(cosines) == len(algebra) and not wrong,
        "order": whole,
        "errors": errors,
        "generator_cosines": cosines,
    }


def _skew(matrix: Tensor) -> Tensor:
    skew = (matrix - matrix.T) / 2
    return skew / skew.norm()


def _different(truth: list[Tensor]) -> Tensor:
    return groups.from_matrices(truth, tolerance=0.2).elements


def _generated(matched: list[Tensor]) -> int:
    return len(_different(matched)) if matched else 1


def _defect(row: Row) -> Defect:
    evidence = row.of("moments")
    assert evidence is not None
    assert isinstance(evidence.detail, Defect)
    return evidence.detail
