"""What was found against what is true: all of it, part of it, or something else."""

import math
from typing import Any

import torch
from torch import Tensor

from lgn import groups
from lgn.discovery.moments import DataSymmetry
from lgn.discovery.moments.lie import nearest_in_group
from lgn.front import discover_from_data
from lgn.linalg import polar_factor
from studies.unknown.cases import Case

RIGHT = 0.1  # relative error on the directions looked at, under which a map is the one that is true
ALONG = 0.95  # cosine from which a generator is in the algebra that is true


def measure(case: Case, **options: Any) -> dict[str, Any]:
    """Discover, and compare: `found` says all generators of the group, `wrong` counts claims that are not true."""
    result = discover_from_data(case.x, **case.options, **options)
    return short({**compare(result, case), **facts(result)})


def short(value: Any) -> Any:
    """With four digits to every number: a file of hundreds of cells stays small."""
    if isinstance(value, dict):
        return {key: short(each) for key, each in value.items()}
    if isinstance(value, list):
        return [short(each) for each in value]
    return float(f"{value:.4g}") if isinstance(value, float) else value


def facts(result: DataSymmetry) -> dict[str, Any]:
    """What a result says of itself."""
    return {
        "rank": result.rank,
        "degree": result.degree,
        "clarity": result.clarity,
        "weakest": result.weakest,
        "judged": result.judged,
        "group": result.group.name,
        "undecided": sum(each.verdict == "undecided" for each in result.elements),
        "names": [each.name for each in result.kept],
        "cosines": [each.cosine for each in result.kept],
        "violations": [each.violation for each in result.kept],
        "noises": [each.noise for each in result.kept],
        "generators": [each.name for each in result.lie if each.verdict == "kept"],
        "told_apart": [each.verified.told_apart for each in result.kept if each.verified is not None],
        "ratios": [each.ratio for each in result.lie if each.verdict == "kept"],
    }


def compare(result: DataSymmetry, case: Case) -> dict[str, Any]:
    """Errors of what is claimed."""
    frame = result.frame
    truth = [polar_factor(frame.lower(each)) for each in case.elements]
    algebra = [_skew(frame.lower(each)) for each in case.generators]
    matched, errors, wrong = set(), [], 0
    for each in result.kept:
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
        for each in result.lie
        if each.verdict == "kept"
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
    """On few directions elements may coincide, with each other or with the identity."""
    return groups.closure(truth, tolerance=0.2).elements


def _generated(matched: list[Tensor]) -> int:
    return len(_different(matched)) if matched else 1
