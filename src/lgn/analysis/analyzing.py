"""`analyze_matrices`: all numbers about generators in one call."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor
from tqdm import tqdm

from lgn.actions import Patch, act
from lgn.analysis import identifiability
from lgn.analysis.assemble import MATCHES, Results, hypotheses_of
from lgn.analysis.generator import GeneratorAnalysis, Identifiability, rows
from lgn.analysis.null_distributions import NullDistributions
from lgn.analysis.result import Analysis
from lgn.analysis.significance import adjusted_p_values
from lgn.analysis.spectrum import spectrum
from lgn.analysis.subject import FreshStarts, Subject, checked


def analyze_matrices(
    matrices: Tensor,
    *,
    patch: Patch,
    names: Sequence[str] | None = None,
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
    order: the number p of elements of the filter sets, for closure and roots of unity.
    start: the matrices before training, with the shape of `matrices`.
    filters: the bases (d, N) that each matrix acts on, from which the order makes its filter sets; or (G, d, N).
    vectors: the columns (d, N) to which each matrix was applied, if the filters are not known; or (G, d, N).
    fresh_starts: a function that draws (count, d, d) new starts of the same family; other draws at every call.
    by_construction: names of structures that the family guarantees, which are never findings.
    draws: first draws of each null model; tests at the floor get more, up to 50,000.
    progress: show the stages on standard error.
    """
    matrices = checked(matrices, patch, "matrices")
    start = None if start is None else checked(start, patch, "start")
    for name, given in {"start": start, "names": names, "filters": filters, "vectors": vectors}.items():
        if given is not None and len(given) != len(matrices):
            raise ValueError(f"{name} must have one entry for each of {len(matrices)} matrices, got {len(given)}")

    def columns(given: Sequence[Tensor] | Tensor | None, g: int) -> Tensor | None:
        return None if given is None else torch.as_tensor(given[g]).detach().cpu().double()

    subjects = [
        Subject(
            matrix=matrix,
            patch=patch,
            name=f"generator {g}" if names is None else names[g],
            order=order,
            start=None if start is None else start[g],
            filters=columns(filters, g),
            vectors=columns(vectors, g),
            fresh_starts=fresh_starts,
            by_construction=frozenset(by_construction),
        )
        for g, matrix in enumerate(matrices)
    ]
    return analyze_subjects(
        subjects, draws=draws, seed=seed, false_discovery_rate=false_discovery_rate, progress=progress
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
        # The restriction to U says something new unless U is empty or all of R^d.
        if partial := [s for s in same_patch if s.basis is not None and 0 < s.basis.shape[1] < s.d]:
            tables.append(NullDistributions(partial, random, restricted=True))
    hypotheses = [h for index, table in enumerate(tables) for h in hypotheses_of(index, table)]
    with _one_thread(), tqdm(bar_format="{desc}", leave=False, disable=None if progress else True) as bar:
        p, adjusted = adjusted_p_values(tables, hypotheses, draws, false_discovery_rate, bar.set_description_str)
    tested = list(zip(hypotheses, p.tolist(), adjusted.tolist(), strict=True))
    results = [Results(index, table, tested, false_discovery_rate) for index, table in enumerate(tables)]
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
    on_u: Identifiability | None = None
    if subject.applied is not None and subject.basis is not None:
        on_u = Identifiability(
            dimension=subject.basis.shape[1],
            basis=rows(subject.basis),
            energy_share=identifiability.energy_share(subject.matrix, subject.basis),
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
        scores=on_whole.scores(member),
        findings=tuple(finding for table, index in own for finding in table.findings(index)),
        undecided=tuple(case for table, index in own for case in table.undecided(index)),
        nearest=on_whole.matches(member),
        spectrum=spectrum(subject.matrix, subject.order),
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
