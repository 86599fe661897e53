"""`analyze_matrices`: all numbers about generators in one call."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor
from tqdm import tqdm

from lgn.actions import Patch, act, size_text
from lgn.analysis import identifiability
from lgn.analysis.assemble import MATCHES, Results, fourier_of, hypotheses_of
from lgn.analysis.generator import GeneratorAnalysis, Identifiability, rows
from lgn.analysis.null_distributions import NullDistributions
from lgn.analysis.result import Analysis
from lgn.analysis.significance import adjusted_p_values
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
    progress: bool = False,
) -> Analysis:
    """Measure the structure of matrices, and test it against null models.

    matrices: (G, d, d) or (d, d), with d = n * m for the patch (n, m); computed in float64.
    names, labels: a name and a (layer, set, channel) for each matrix, with None for what it does not have.
    order: the number p of elements of the filter sets, for closure and roots of unity.
    start: the matrices before training, with the shape of `matrices`.
    filters: for each matrix the bases (d, N) that it acts on, from which the order makes its filter sets; or (G, d, N).
    vectors: the columns (d, N) to which each matrix was applied, if the filters are not known; or (G, d, N).
    fresh_starts: a function that draws (count, d, d) new starts of the same family, a further null model. Every call
        must return other draws.
    by_construction: names of structures that the family guarantees, which are never findings.
    draws: first draws of each null model; tests at the floor get more, up to 50,000.
    progress: show the stages on standard error.
    """
    matrices = _checked(matrices, patch, "matrices")
    count = len(matrices)
    starts = None if start is None else _checked(start, patch, "start")
    entries = {"start": starts, "names": names, "labels": labels, "filters": filters, "vectors": vectors}
    for name, given in entries.items():
        if given is not None and len(given) != count:
            raise ValueError(f"{name} must have one entry for each of {count} matrices, got {len(given)}")
    guaranteed = frozenset(by_construction)
    all_labels: Sequence[Label] = labels if labels is not None else [(None, None, None)] * count
    return analyze_subjects(
        [
            Subject(
                matrix=matrices[g],
                patch=patch,
                name=names[g] if names is not None else _title(all_labels[g], g),
                label=all_labels[g],
                order=order,
                start=None if starts is None else starts[g],
                filters=_columns(filters, g),
                vectors=_columns(vectors, g),
                fresh_starts=fresh_starts,
                by_construction=guaranteed,
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
    progress: bool = False,
) -> Analysis:
    """Analyse matrices of any sizes, orders and families, with one correction for all tests."""
    if draws < 1:
        raise ValueError(f"draws must be at least 1, got {draws}")
    if not 0 < false_discovery_rate < 1:
        raise ValueError(f"false_discovery_rate must be between 0 and 1, got {false_discovery_rate}")
    random = torch.Generator().manual_seed(seed)
    tables = []
    for patch in dict.fromkeys(subject.patch for subject in subjects):
        same_patch = [subject for subject in subjects if subject.patch == patch]
        tables.append(NullDistributions(same_patch, random))
        if partial := [subject for subject in same_patch if subject.partial]:
            tables.append(NullDistributions(partial, random, restricted=True))
    hypotheses = [h for index, table in enumerate(tables) for h in hypotheses_of(index, table)]
    with _one_thread(), _stages(progress) as stage:
        p, adjusted = adjusted_p_values(tables, hypotheses, draws, false_discovery_rate, stage)
    results = [
        Results.of(index, table, hypotheses=hypotheses, p=p, adjusted=adjusted, rate=false_discovery_rate)
        for index, table in enumerate(tables)
    ]
    used = [name for table in tables for name in table.draws if int(table.draws[name].max())]
    return Analysis(
        generators=tuple(_assembled(subject, results) for subject in subjects),
        draws=draws,
        most_draws=max(int(counts.max()) for table in tables for counts in table.draws.values()),
        seed=seed,
        false_discovery_rate=false_discovery_rate,
        tests=sum(h.group != MATCHES for h in hypotheses),
        match_tests=sum(h.group == MATCHES for h in hypotheses),
        nulls=tuple(dict.fromkeys(used)),
    )


@contextmanager
def _stages(progress: bool) -> Iterator[Callable[[str], None]]:
    """A function that shows the name of a stage, on standard error if that is a terminal."""
    with tqdm(bar_format="{desc}", leave=False, disable=None if progress else True) as bar:
        yield bar.set_description_str


@contextmanager
def _one_thread() -> Iterator[None]:
    """Compute with one thread: for batches of small matrices, more threads take half as long again."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _assembled(subject: Subject, results: Sequence[Results]) -> GeneratorAnalysis:
    """The analysis of one matrix, whole and, if U is known, restricted to U."""
    own = [(table, table.table.subjects.index(subject)) for table in results if subject in table.table.subjects]
    (on_whole, member), *rest = own
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
        findings=tuple(finding for table, index in own for finding in table.findings(index)),
        undecided=tuple(case for table, index in own for case in table.undecided(index)),
        nearest=on_whole.matches(member),
        spectrum=spectrum(subject.matrix, subject.order),
        fourier=fourier_of(all_scores, subject.patch),
        effect_on_identity=rows(_effect(subject.matrix, subject.patch)),
        identifiability=on_u,
    )


def _effect(matrix: Tensor, patch: Patch) -> Tensor:
    """`phi_A(I)`; for signals and volumes, the image of an impulse in the middle, one row for each line of pixels."""
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


def _title(label: Label, g: int) -> str:
    parts = zip(("layer", "set", "channel"), label, strict=True)
    return ", ".join(f"{part} {number}" for part, number in parts if number is not None) or f"generator {g}"
