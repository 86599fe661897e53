"""Claims on groups: what penalties cost and keep, closure, and what is identifiable (claims 6 to 9)."""

import math
from statistics import mean

import torch
from torch import nn

from lgn.analysis import Analysis
from lgn.analysis.result import IDENTIFIABLE
from lgn.generators import generators_of
from lgn.recipes.claims.statement import Statement, Verdict, by_thresholds, difference, estimate


def penalty_times(ratios: dict[str, float]) -> Statement:
    """Claim 6: the inverse penalty costs about 30 % of time, singular values about 100 %."""
    batched = {name: ratio for name, ratio in ratios.items() if "batched" in name}
    cheap = max(batched.values()) < 1.3
    lowest = min(ratios.values())
    noise = f"no penalty saves time: a ratio of {lowest:.2f} says how far equal steps can lie apart here"
    return Statement(
        6,
        "preset paper, steps of 128 images on a CPU; the authors measured on a GPU",
        ", ".join(f"{name} {100 * (ratio - 1):+.0f} %" for name, ratio in ratios.items()),
        "0 %: a penalty that costs nothing",
        "not seen" if cheap else "holds in part",
        ("the verdict is on penalties as they are computed here, batched over generators",)
        + ((noise,) if lowest < 1 else ()),
    )


def smallest_singular_value(model: nn.Module) -> float:
    """Over all generators of a network."""
    with torch.no_grad():
        return min(float(torch.linalg.svdvals(each.matrix().double()).min()) for each in generators_of(model).values())


def singular_values_kept(runs: str, smallest: dict[str, list[float]], missing: list[str]) -> Statement:
    """Claim 7: singular values stay away from zero under each penalty, and not without; `smallest` by run."""
    estimates = {name: estimate(values) for name, values in smallest.items()}
    without = smallest["none"]
    gains = {name: difference(values, without) for name, values in smallest.items() if name != "none"}
    helped = [name for name, gain in gains.items() if gain.above(0)]
    collapsed = estimates["none"].mean < 1e-2
    all_helped = len(helped) == len(gains) and collapsed and not missing
    verdict: Verdict = "holds" if all_helped else "holds in part" if helped else "not seen"
    return Statement(
        7,
        runs,
        "smallest singular value of a run: " + "; ".join(f"{name} {value}" for name, value in estimates.items()),
        "no difference to training without a penalty",
        verdict if min(map(len, smallest.values())) > 1 else "not tested",
        (
            f"above training without a penalty: {', '.join(helped) or 'none'}",
            *([f"not run: {', '.join(missing)}"] if missing else []),
        ),
    )


def actions_form_groups(runs: str, analyses: list[Analysis]) -> Statement:
    """Claim 8: the actions form cyclic groups; the closure error was never measured in the paper."""
    errors = [mean(g.spectrum.closure_error or 0.0 for g in a.generators) for a in analyses]
    closed = estimate([mean((g.spectrum.closure_error or math.inf) < 0.1 for g in a.generators) for a in analyses])
    return Statement(
        8,
        runs,
        f"closure error |A^p - I| / |I|: {estimate(errors)}; share of generators below 0.1: {closed}",
        "0 for a group; about 1.4 for a random orthogonal matrix",
        "holds" if closed.above(0.5) else "not seen",
    )


def what_is_identifiable(runs: str, analyses: list[Analysis]) -> Statement:
    """Claim 9: how much of A the data speak to, and whether the named structure is in that part."""
    known = [[g.identifiability for g in a.generators if g.identifiability is not None] for a in analyses]
    dimension = max(u.dimension for some in known for u in some)
    changes = [mean(u.change_share for u in some if u.change_share is not None) for some in known if some]
    on_u = [
        mean(f.on == IDENTIFIABLE for g in a.generators for f in g.findings)
        for a in analyses
        if any(g.findings for g in a.generators)
    ]
    change = estimate(changes)
    d = analyses[0].patch[0] * analyses[0].patch[1]
    return Statement(
        9,
        runs,
        f"the data speak to at most {dimension} of {d} dimensions; share of the training change there: {change}",
        f"{dimension / d:.2f}: a change that is spread evenly",
        by_thresholds(change, 0.5, dimension / d),
        (f"share of findings on the identifiable part: {estimate(on_u) if on_u else 'no finding'}",),
    )
