"""All numbers about generators, in one call: `analyze_matrices`."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor

from lgn.actions import Patch, act, size_text
from lgn.analysis import identifiability
from lgn.analysis.assemble import MATCHES, Verdicts, fourier_of, hypotheses_of
from lgn.analysis.chance import Chance
from lgn.analysis.generator import GeneratorAnalysis, Identifiability, rows
from lgn.analysis.result import Analysis
from lgn.analysis.significance import judge
from lgn.analysis.spectrum import spectrum
from lgn.analysis.subject import FreshStarts, Label, Subject, require_patch


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
    fresh_starts: FreshStarts | None = None,
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
    filters: for each matrix the bases (d, N) that it acts on, from which the order makes its filter sets; or (G, d, N).
    vectors: where the filters are not known, the columns (d, N) that each matrix was applied to; or (G, d, N).
    fresh_starts: given a count, draws (count, d, d) new starts of the same family: a further null. It is called many
        times, and must return other draws each time.
    by_construction: names of structures that the family has by law, which can never be findings.
    draws: of each null first; tests at the floor get more, up to 50,000.
    progress: called with the name of each stage as it begins.
    """
    matrices = _checked(matrices, patch, "matrices")
    count = len(matrices)
    begun = None if start is None else _checked(start, patch, "start")
    entries = {"start": begun, "names": names, "labels": labels, "filters": filters, "vectors": vectors}
    for name, given in entries.items():
        if given is not None and len(given) != count:
            raise ValueError(f"{name} must have one entry for each of {count} matrices, got {len(given)}")
    laws = frozenset(by_construction)
    places: Sequence[Label] = labels if labels is not None else [(None, None, None)] * count
    return analyze_subjects(
        [
            Subject(
                matrix=matrices[g],
                patch=patch,
                name=names[g] if names is not None else _title(places[g], g),
                label=places[g],
                order=order,
                start=None if begun is None else begun[g],
                filters=_columns(filters, g),
                vectors=_columns(vectors, g),
                fresh_starts=fresh_starts,
                by_construction=laws,
            )
            for g in range(count)
        ],
        draws=draws,
        seed=seed,
        false_discovery_rate=false_discovery_rate,
        progress=progress,
    )


def analyze_subjects(
    subjects: Sequence[Subject],
    *,
    draws: int = 1_000,
    seed: int = 0,
    false_discovery_rate: float = 0.05,
    progress: Callable[[str], None] = lambda _: None,
) -> Analysis:
    """The same of matrices of any sizes, orders and families, each judged by what is known about it, all together."""
    if draws < 1:
        raise ValueError(f"draws must be at least 1, got {draws}")
    if not 0 < false_discovery_rate < 1:
        raise ValueError(f"false_discovery_rate must be between 0 and 1, got {false_discovery_rate}")
    random = torch.Generator().manual_seed(seed)
    chances = []
    for patch in dict.fromkeys(each.patch for each in subjects):
        alike = [each for each in subjects if each.patch == patch]
        chances.append(Chance(alike, random))
        if partial := [each for each in alike if each.partial]:
            chances.append(Chance(partial, random, restricted=True))
    hypotheses = [h for index, chance in enumerate(chances) for h in hypotheses_of(index, chance)]
    with _one_thread():
        p, adjusted = judge(chances, hypotheses, draws, false_discovery_rate, progress)
    judged = (hypotheses, p, adjusted, false_discovery_rate)
    verdicts = [Verdicts.of(index, chance, *judged) for index, chance in enumerate(chances)]
    progress("nearest operators")
    used = [null for chance in chances for null in chance.draws if int(chance.draws[null].max())]
    return Analysis(
        generators=tuple(_assembled(each, verdicts) for each in subjects),
        draws=draws,
        most_draws=max(int(table.max()) for chance in chances for table in chance.draws.values()),
        seed=seed,
        false_discovery_rate=false_discovery_rate,
        tests=sum(h.group != MATCHES for h in hypotheses),
        match_tests=sum(h.group == MATCHES for h in hypotheses),
        nulls=tuple(dict.fromkeys(used)),
    )


@contextmanager
def _one_thread() -> Iterator[None]:
    """Batches of small matrices: threads would wait for each other longer than they work, by half of the time."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _assembled(subject: Subject, verdicts: Sequence[Verdicts]) -> GeneratorAnalysis:
    """Everything about one matrix: of the whole of it, and on U where there is one."""
    about = [(each, each.chance.subjects.index(subject)) for each in verdicts if subject in each.chance.subjects]
    (on_whole, member), *rest = about
    all_scores = on_whole.scores(member)
    on_u: Identifiability | None = None
    if subject.applied is not None and subject.basis is not None:
        on_u = Identifiability(
            dimension=subject.basis.shape[1],
            vectors=subject.applied.shape[-1],
            basis=rows(subject.basis),
            energy_share=identifiability.energy_share(subject.matrix, subject.basis),
            orthogonal=identifiability.is_orthogonal(subject.matrix),
            change_share=identifiability.change_share(subject.matrix, subject.start, subject.basis),
            scores=rest[0][0].scores(rest[0][1]) if rest else (),
            nearest=rest[0][0].matches(rest[0][1]) if rest else (),
        )
    return GeneratorAnalysis(
        name=subject.name,
        patch=subject.patch,
        order=subject.order,
        layer=subject.label[0],
        set=subject.label[1],
        channel=subject.label[2],
        matrix=rows(subject.matrix),
        start=None if subject.start is None else rows(subject.start),
        scores=all_scores,
        findings=tuple(finding for each, place in about for finding in each.findings(place)),
        undecided=tuple(case for each, place in about for case in each.undecided(place)),
        nearest=on_whole.matches(member),
        spectrum=spectrum(subject.matrix, subject.order),
        fourier=fourier_of(all_scores, subject.patch),
        effect_on_identity=rows(_effect(subject.matrix, subject.patch)),
        identifiability=on_u,
    )


def _effect(matrix: Tensor, patch: Patch) -> Tensor:
    """`phi_A(I)`; without rows and columns, what becomes of an impulse in the middle, a row for each line of pixels."""
    if len(patch) == 2:
        return act(matrix, torch.eye(*patch, dtype=torch.float64))
    impulse = torch.zeros(patch, dtype=torch.float64)
    impulse[tuple(n // 2 for n in patch)] = 1
    return act(matrix, impulse, len(patch)).reshape(-1, patch[-1])


def _checked(matrices: Tensor, patch: Patch, name: str) -> Tensor:
    """Square, finite matrices (G, d, d) of the patch in float64, or an error that names the argument."""
    require_patch(patch)
    d = math.prod(patch)
    result = torch.as_tensor(matrices).detach().cpu()
    if result.is_complex():
        raise ValueError(f"{name} must be real, got {result.dtype}")
    result = (result[None] if result.ndim == 2 else result).double()
    if result.ndim != 3 or result.shape[1:] != (d, d) or len(result) == 0:
        shape = tuple(torch.as_tensor(matrices).shape)
        raise ValueError(f"{name} must be (G, {d}, {d}) for a patch of {size_text(patch)}, got shape {shape}")
    if not torch.isfinite(result).all():
        raise ValueError(f"{name} must be finite, got infinities or NaN")
    return result


def _columns(given: Sequence[Tensor] | Tensor | None, g: int) -> Tensor | None:
    return None if given is None else torch.as_tensor(given[g]).detach().cpu().double()


def _title(place: Label, g: int) -> str:
    words = ("layer", "set", "channel")
    return ", ".join(f"{w} {i}" for w, i in zip(words, place, strict=True) if i is not None) or f"generator {g}"
