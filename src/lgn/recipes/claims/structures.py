"""Claims on structure: which structures emerge, where, and what data and task change (claims 1 to 3, 11, 13, 15)."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise
from statistics import mean

import torch
from torch import Tensor

from lgn.analysis import Analysis, GeneratorAnalysis
from lgn.analysis.result import IDENTIFIABLE
from lgn.recipes.claims.statement import Statement, by_thresholds, difference, estimate, of_parts

EMERGING = ("skew-symmetric", "Toeplitz", "multi-scale")


def share_found(analysis: Analysis, structure: str, on: str = "any") -> float:
    """The share of generators for which a structure is a finding, anywhere or on what the data can say."""
    return mean(
        any(f.name == structure and (on in ("any", f.on) or _all_is_identifiable(each)) for f in each.findings)
        for each in analysis.generators
    )


def _all_is_identifiable(each: GeneratorAnalysis) -> bool:
    """The data speak to every dimension: then the whole matrix is what they can say, and is not scored twice."""
    return each.identifiability is not None and each.identifiability.dimension == len(each.matrix)


def mean_score(analysis: Analysis, name: str) -> float:
    """A score, averaged over the generators of a run."""
    return mean(next(s.score for s in each.scores if s.name == name) for each in analysis.generators)


def _place(each: GeneratorAnalysis) -> str:
    """The layer of an unfolded network, or the module."""
    return each.name.split(", ")[0]


def emergence(number: int, runs: str, analyses: list[Analysis]) -> Statement:
    """How many generators have each structure, in which layers; more than the false-discovery rate allows by chance."""
    rate = analyses[0].false_discovery_rate
    shares = {name: estimate([share_found(a, name) for a in analyses]) for name in EMERGING}
    seen = [share.above(rate) for share in shares.values()]
    places = Counter(
        (f.name, _place(each))
        for a in analyses
        for each in a.generators
        for f in {g.name: g for g in each.findings}.values()
        if f.name in EMERGING
    )
    counts = ", ".join(f"{name} in {place}: {count}" for (name, place), count in sorted(places.items()))
    on_u = {name: estimate([share_found(a, name, IDENTIFIABLE) for a in analyses]) for name in EMERGING}
    return Statement(
        number,
        runs,
        "share of generators with the structure, and of those with it on what the data can say (U): "
        + "; ".join(f"{name} {share}, on U {on_u[name].mean:.2g}" for name, share in shares.items()),
        f"at most {rate:g} of findings by chance (three nulls, Benjamini-Hochberg)",
        of_parts(seen),
        (
            f"by layer, over all runs: {counts or 'none'}",
            "on U: " + "; ".join(f"{name} {share}" for name, share in on_u.items()),
        ),
    )


def in_a_plain_cnn(runs: str, analyses: list[Analysis]) -> Statement:
    """Claim 15: the same count where layers are not unfolded, and how much of each layer's generators counts."""
    statement = emergence(15, runs, analyses)
    dimensions: dict[str, set[int]] = {}
    for each in (each for a in analyses for each in a.generators if each.identifiability is not None):
        dimensions.setdefault(_place(each), set()).add(each.identifiability.dimension)  # type: ignore[union-attr]
    counted = ", ".join(f"{place}: {'/'.join(map(str, sorted(some)))}" for place, some in dimensions.items())
    return replace(statement, details=(*statement.details, f"dimensions that the data speak to: {counted}"))


def task_dependence(runs: str, classified: list[Analysis], rebuilt: list[Analysis]) -> Statement:
    """Claim 3, on one data set: tasks differ more than seeds do, and reconstruction has more energy in few blocks."""
    seeds = [likeness(a, b) for same in (classified, rebuilt) for a, b in pairwise(same)]
    between = estimate([likeness(a, b) for a, b in zip(classified, rebuilt, strict=False)])
    within = estimate(seeds) if seeds else None
    differ = within is not None and between.high is not None and within.above(between.high)
    rebuilt_scores, classified_scores = (
        [mean_score(a, "concentrated blocks") for a in each] for each in (rebuilt, classified)
    )
    gap = difference(rebuilt_scores, classified_scores)
    shares = [estimate([share_found(a, "concentrated blocks") for a in each]) for each in (rebuilt, classified)]
    return Statement(
        3,
        runs,
        f"correlation of mean scores less chance, between tasks: {between}; between seeds of a task: "
        f"{within or 'one seed'}; energy in the strongest tenth of the blocks, reconstruction less "
        f"classification: {gap}",
        "tasks are as alike as seeds; no difference in blocks",
        of_parts([differ, gap.above(0)]),
        (f"share of generators with concentrated blocks: {shares[0]} against {shares[1]}",),
    )


def causal_averaging(runs: str, analyses: list[Analysis]) -> Statement:
    """Claim 13: skew-symmetric actions implement causal averaging."""
    skew = [[g for g in a.generators if any(f.name == "skew-symmetric" for f in g.findings)] for a in analyses]
    with_skew = [generators for generators in skew if generators]
    causal = [mean(any(f.name == "causal" for f in g.findings) for g in some) for some in with_skew]
    share = estimate(causal or [0.0])
    return Statement(
        13,
        runs,
        f"share of skew-symmetric generators that are causal too: {share}" if causal else "none is skew-symmetric",
        "causal: energy on one side of the diagonal, and one sign on each side, both beyond chance",
        by_thresholds(share, 0.5, analyses[0].false_discovery_rate) if causal else "not tested",
    )


def likeness(one: Analysis, other: Analysis) -> float:
    """How alike two runs are: the correlation of their mean scores, each less its chance."""
    return float(torch.corrcoef(torch.stack([_profile(one), _profile(other)]))[0, 1])


def _profile(analysis: Analysis) -> Tensor:
    by_score = zip(*(each.scores for each in analysis.generators), strict=True)
    return torch.tensor([mean(score.score - score.chance for score in column) for column in by_score])


def resemblance(one: list[Analysis], other: list[Analysis]) -> tuple[str, ...]:
    """How alike the actions of two samples are, beside how alike seeds of the first are, and the operators of both."""
    lines = [
        f"correlation of mean scores less chance, between CIFAR-10 and MNIST: "
        f"{estimate([likeness(a, b) for a, b in zip(one, other, strict=False)])}"
    ]
    if len(one) > 1:
        lines[0] += f"; between seeds on CIFAR-10: {estimate([likeness(a, b) for a, b in pairwise(one)])}"
    for title, analyses in (("CIFAR-10", one), ("MNIST", other)):
        families = Counter(
            each.nearest[0].name if each.nearest[0].adjusted_p_value <= a.false_discovery_rate else "none beyond chance"
            for a in analyses
            for each in a.generators
        )
        counts = ", ".join(f"{name} {count}" for name, count in families.most_common())
        lines.append(f"nearest operator on {title}, generators of {len(analyses)} runs: {counts}")
    return tuple(lines)


def same_on_both(runs: str, one: list[Analysis], other: list[Analysis], apart: list[Analysis]) -> Statement:
    """Claim 11: the reconstruction actions of two data sets resemble each other, more than the tasks do."""
    between = estimate([likeness(a, b) for a, b in zip(one, other, strict=False)])
    across = estimate([likeness(a, c) for a, c in zip(one, apart, strict=False)])
    alike = between.low is not None and across.high is not None and between.low > across.high
    return Statement(
        11,
        runs,
        f"correlation of mean scores less chance, between data sets: {between}; between tasks: {across}",
        "as alike as the actions for the two tasks on one data set",
        "holds" if alike else "holds in part" if between.mean > 0.5 else "not seen",
    )
