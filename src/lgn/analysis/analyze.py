"""All numbers about generators, in one call: `analyze_matrices`."""

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor

from lgn.algebra import act
from lgn.analysis import identifiability, nulls
from lgn.analysis.assemble import (
    MATCHES,
    STRUCTURES,
    Verdicts,
    checked,
    fourier_of,
    hypotheses_of,
    known_structures,
)
from lgn.analysis.chance import Chance, Seen
from lgn.analysis.result import IDENTIFIABLE, WHOLE, Analysis, GeneratorAnalysis, Identifiability, Match, Score, rows
from lgn.analysis.significance import judge
from lgn.analysis.spectrum import spectrum

Patch = tuple[int, int]
Label = tuple[int | None, int | None, int | None]


def analyze_matrices(
    matrices: Tensor,
    patch: Patch,
    *,
    names: Sequence[str] | None = None,
    labels: Sequence[Label] | None = None,
    order: int | None = None,
    start: Tensor | None = None,
    filters: Sequence[Tensor] | Tensor | None = None,
    vectors: Sequence[Tensor] | Tensor | None = None,
    fresh_starts: nulls.FreshStarts | None = None,
    by_construction: Iterable[str] = (),
    draws: int = 1_000,
    seed: int = 0,
    false_discovery_rate: float = 0.05,
    progress: Callable[[str], None] = lambda _: None,
) -> Analysis:
    """Say what each matrix does, in numbers, and how likely chance is to give them.

    matrices: (G, d, d) or (d, d), with d = n * m for the patch (n, m); computed in float64.
    names, labels: what to call each: a name, and its (layer, set, channel), None where it has none.
    order: the p of the filter sets, for closure and roots of unity.
    start: the matrices before training, shaped as `matrices`.
    vectors: for each matrix the columns (d, N) that it was applied to, `phi^j(W)` for j < p - 1; or (G, d,
    N).
    fresh_starts: given a count, draws (count, d, d) new starts of the same family: the third null. It is called
        many times, and must return other draws each time.
    by_construction: names of structures that the family has by law, which can never be findings.
    draws: of each null first; tests at the floor get more, up to 50,000.
    progress: called with the name of each stage as it begins.
    """
    matrices = checked(matrices, patch, "matrices")
    start = None if start is None else checked(start, patch, "start")
    if start is not None and len(start) != len(matrices):
        raise ValueError(f"start must have as many matrices as matrices, {len(matrices)}, got {len(start)}")
    if order is not None and order < 1:
        raise ValueError(f"order must be at least 1, got {order}")
    if draws < 1:
        raise ValueError(f"draws must be at least 1, got {draws}")
    if not 0 < false_discovery_rate < 1:
        raise ValueError(f"false_discovery_rate must be between 0 and 1, got {false_discovery_rate}")
    by_law = known_structures(tuple(by_construction))
    titles, places = _titles(names, labels, len(matrices))
    applied, seen = _seen(matrices, order, filters, vectors)

    generator = torch.Generator().manual_seed(seed)
    chances = [Chance(matrices, patch, generator, fresh_starts=fresh_starts)]
    # On all of R^d the restriction changes nothing, and on nothing it leaves nothing.
    partial = [g for g, each in enumerate(seen) if 0 < each.basis.shape[1] < matrices.shape[-1]]
    if partial:
        chances.append(Chance(matrices[partial], patch, generator, [seen[g] for g in partial], fresh_starts))
    hypotheses = [h for index, chance in enumerate(chances) for h in hypotheses_of(index, chance, by_law)]
    p, adjusted = judge(chances, hypotheses, draws, false_discovery_rate, progress)
    verdicts = [Verdicts.of(i, chance, hypotheses, p, adjusted, by_law) for i, chance in enumerate(chances)]

    progress("nearest operators")
    results = []
    for g, matrix in enumerate(matrices):
        begun = None if start is None else start[g]
        all_scores = verdicts[0].scores(g, begun)
        found = verdicts[0].findings(g, WHOLE, false_discovery_rate)
        on_u: Identifiability | None = None
        if seen:
            on_u_scores: tuple[Score, ...] = ()
            on_u_nearest: tuple[Match, ...] = ()
            if g in partial:
                member = partial.index(g)
                on_u_scores = verdicts[1].scores(member, None if begun is None else begun @ seen[g].projector())
                on_u_nearest = verdicts[1].matches(member, matrix, seen[g].basis)
                found += verdicts[1].findings(member, IDENTIFIABLE, false_discovery_rate)
            on_u = Identifiability(
                dimension=seen[g].basis.shape[1],
                vectors=applied[g].shape[-1],
                basis=rows(seen[g].basis),
                energy_share=identifiability.energy_share(matrix, seen[g].basis),
                orthogonal=identifiability.is_orthogonal(matrix),
                change_share=identifiability.change_share(matrix, begun, seen[g].basis),
                scores=on_u_scores,
                nearest=on_u_nearest,
            )
        results.append(
            GeneratorAnalysis(
                name=titles[g],
                layer=places[g][0],
                set=places[g][1],
                channel=places[g][2],
                matrix=rows(matrix),
                start=None if begun is None else rows(begun),
                scores=all_scores,
                findings=tuple(sorted(found, key=lambda each: (each.adjusted_p_value, -each.score))),
                nearest=verdicts[0].matches(g, matrix),
                spectrum=spectrum(matrix, order),
                fourier=fourier_of(all_scores, patch),
                effect_on_identity=rows(act(matrix, torch.eye(*patch, dtype=torch.float64))),
                identifiability=on_u,
            )
        )
    return Analysis(
        generators=tuple(results),
        patch=(patch[0], patch[1]),
        order=order,
        draws=draws,
        most_draws=max(int(table.max()) for chance in chances for table in chance.draws.values()),
        seed=seed,
        false_discovery_rate=false_discovery_rate,
        tests=sum(h.group == STRUCTURES for h in hypotheses),
        match_tests=sum(h.group == MATCHES for h in hypotheses),
        nulls=tuple(chances[0].draws),
    )


def _seen(
    matrices: Tensor,
    order: int | None,
    filters: Sequence[Tensor] | Tensor | None,
    vectors: Sequence[Tensor] | Tensor | None,
) -> tuple[Sequence[Tensor], list[Seen]]:
    """The vectors that each matrix was applied to, (d, N) each, and their span; nothing where nothing is known."""
    if filters is None and vectors is None:
        return [], []
    if filters is not None and vectors is not None:
        raise ValueError("filters and vectors must not both be given: filters and the order give the vectors")
    if filters is None:
        applied = _columns("vectors", vectors, matrices)
        return applied, [Seen(identifiability.span(each)) for each in applied]
    if order is None or order < 2:
        raise ValueError(f"order must be at least 2 where filters are given, got {order}")
    bases = _columns("filters", filters, matrices)
    applied = [identifiability.applied_to(a, each, order) for a, each in zip(matrices, bases, strict=True)]
    return applied, [Seen(identifiability.span(v), w, order) for v, w in zip(applied, bases, strict=True)]


def _columns(name: str, given: Sequence[Tensor] | Tensor | None, matrices: Tensor) -> list[Tensor]:
    """One (d, N) for each matrix, in float64, or an error that names the argument."""
    count, d = matrices.shape[:2]
    columns = [torch.as_tensor(each).detach().cpu().double() for each in given] if given is not None else []
    if len(columns) != count:
        raise ValueError(f"{name} must have one entry for each of {count} matrices, got {len(columns)}")
    for each in columns:
        if each.ndim != 2 or each.shape[0] != d or not torch.isfinite(each).all():
            raise ValueError(f"{name} must be finite columns ({d}, N), got shape {tuple(each.shape)}")
    return columns


def _titles(names: Sequence[str] | None, labels: Sequence[Label] | None, count: int) -> tuple[list[str], list[Label]]:
    """What each generator is called, and its (layer, set, channel)."""
    for name, given in (("names", names), ("labels", labels)):
        if given is not None and len(given) != count:
            raise ValueError(f"{name} must have one entry for each of {count} matrices, got {len(given)}")
    places: list[Label] = [(None, None, None)] * count if labels is None else list(labels)
    if names is not None:
        return list(names), places
    words = ("layer", "set", "channel")
    made = [", ".join(f"{w} {i}" for w, i in zip(words, place, strict=True) if i is not None) for place in places]
    return [title or f"generator {g}" for g, title in enumerate(made)], places
