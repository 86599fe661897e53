"""Claims on what an action does: Fourier, known operators, the identity (claims 4, 5, 10 and 12)."""

from statistics import mean

import torch

from lgn.analysis import Analysis, GeneratorAnalysis
from lgn.analysis.result import tensor
from lgn.measures import relative_error
from lgn.operators.study import SETTINGS, Setting
from lgn.recipes.claims.statement import Statement, Verdict, by_thresholds, estimate, of_parts

# Of the difference across the antidiagonal, which has no sign: what 6x6 independent pixels have on average.
BY_CHANCE = 0.29


def between_random_and_circulant(runs: str, analyses: list[Analysis]) -> Statement:
    """Claim 4: learned Toeplitz actions lie between random and circulant under the DFT."""
    places = [[_place(g) for g in a.generators if _found(g, "Toeplitz")] for a in analyses]
    means = [mean(some) for some in places if some]
    verdict: Verdict
    if not means:
        effect, verdict = "no generator is Toeplitz beyond chance", "not seen"
    else:
        where = estimate(means)
        effect = f"place on the line from random (0) to circulant (1): {where}"
        verdict = by_thresholds(where, 0.5, 0)
    return Statement(
        4,
        runs,
        effect,
        "a Gaussian matrix has its place at 0; closer to circulant means above 1/2",
        verdict,
    )


def composition_beats_parts(runs: str, analyses: list[Analysis]) -> Statement:
    """Claim 5: they resemble pooling composed with rotation more than either alone, by calibrated p-values."""
    shares, cosines = [], []
    for analysis in analyses:
        wins = []
        for each in analysis.generators:
            by_name = {match.name: match for match in each.nearest}
            both = by_name["pooling then rotation"]
            parts = min(by_name["rotation"].p_value, by_name["pooling"].p_value)
            wins.append(both.adjusted_p_value <= analysis.false_discovery_rate and both.p_value < parts)
            cosines.append(abs(both.cosine))
        shares.append(mean(wins))
    share = estimate(shares)
    return Statement(
        5,
        runs,
        f"share of generators for which the composition is beyond chance, and further than its parts: {share}",
        "each family of operators maximised in the same way on its own null draws",
        by_thresholds(share, 0.5, 0.05),
        (f"largest cosine with a composition, over all generators: {max(cosines):.2f}",),
    )


def effects_on_identity(runs: str, analyses: list[Analysis]) -> Statement:
    """Claim 10: what the actions of figure 2 do to the identity, as numbers."""
    skew = estimate([_correlation_with_place(_best(a, "skew-symmetric")) for a in analyses])
    smooth = estimate([_energy_near_diagonal(_best(a, "Toeplitz")) for a in analyses])
    scale = estimate([_across_antidiagonal(_best(a, "quadrant signs")) for a in analyses])
    seen = [skew.below(0), smooth.above(4 / 9), scale.above(BY_CHANCE)]
    return Statement(
        10,
        runs,
        f"skew: correlation of value and place {skew}; Toeplitz: energy within one pixel of the diagonal {smooth}; "
        f"multi-scale: difference across the antidiagonal in standard deviations {scale}",
        f"0; 16 of 36 pixels, 0.44; {BY_CHANCE}, what independent pixels have on average",
        of_parts(seen),
        ("for the generator of each run with the highest score of the structure",),
    )


def products_of_learned(learned: dict[Setting, torch.Tensor], data: str) -> Statement:
    """Claim 12: the learned composition is learned rotation times learned pooling."""
    errors = {
        setting.title: float(
            relative_error(
                learned[setting], learned[Setting(degrees=setting.degrees)] @ learned[Setting(setting.radius)]
            )
        )
        for setting in SETTINGS
        if setting.radius > 1 and setting.degrees
    }
    worst = max(errors.values())
    verdict: Verdict = "holds" if worst < 0.1 else "holds in part" if worst < 0.5 else "not seen"
    return Statement(
        12,
        data,
        "relative difference: " + ", ".join(f"{title} {error:.2g}" for title, error in errors.items()),
        "unrelated matrices differ by more than 1",
        verdict,
    )


def _found(each: GeneratorAnalysis, structure: str) -> bool:
    return any(finding.name == structure for finding in each.findings)


def _place(each: GeneratorAnalysis) -> float:
    return next(f.position for f in each.fourier if f.name == "1-D")


def _best(analysis: Analysis, score: str) -> torch.Tensor:
    """`phi_A(I)` of the generator with the highest score."""
    best = max(analysis.generators, key=lambda g: next(s.score for s in g.scores if s.name == score))
    return tensor(best.effect_on_identity)


def _correlation_with_place(image: torch.Tensor) -> float:
    """Of a pixel's value with its place in the column-major order."""
    values = image.T.flatten()
    return float(torch.corrcoef(torch.stack([values, torch.arange(len(values), dtype=values.dtype)]))[0, 1])


def _energy_near_diagonal(image: torch.Tensor) -> float:
    band = image.triu(-1).tril(1)
    return float(band.square().sum() / image.square().sum())


def _across_antidiagonal(image: torch.Tensor) -> float:
    """Mean below the antidiagonal less mean above it, in standard deviations."""
    n, m = image.shape
    place = torch.arange(n)[:, None] / max(n - 1, 1) + torch.arange(m) / max(m - 1, 1)
    return float(abs(image[place > 1].mean() - image[place < 1].mean()) / image.std())
