"""The answer: rows with names, the group of the kept maps, the algebra of the continuous ones, and one sentence."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from lgn import groups
from lgn.answer import Answer, DataSummary, Defect, Evidence, LabelMap, Row
from lgn.answer.answer import Setting
from lgn.discovery.moments.elements import closure
from lgn.discovery.moments.judge import Element, kept_maps
from lgn.discovery.moments.known_maps import column_map, fit_warp, known_maps, name_generator, name_map
from lgn.discovery.moments.prepare import Grid
from lgn.discovery.moments.sample import Frame
from lgn.discovery.moments.tensors import Classes
from lgn.generators import Cyclic
from lgn.groups.algebra import compact_name
from lgn.groups.closing import generated_by
from lgn.transforms import Transformation

#: The largest number of samples that is given as needed, and the largest number of maps in a sentence.
MOST_SAMPLES, LISTED = 10**12, 4
WEAK = "The moments of the samples are too weak to show a symmetry."


@dataclass(frozen=True, eq=False)
class Found:
    """The maps and generators that the moments keep or may keep."""

    #: The whitened directions of all samples.
    frame: Frame
    notes: tuple[str, ...]
    #: Kept elements first, then undecided ones, without the identity.
    elements: tuple[Element, ...] = ()
    #: A basis of the Lie algebra, kept elements first.
    generators: tuple[Element, ...] = ()
    #: The highest order of moments that decides; 0 if no moments can be seen.
    degree: int = 0
    #: The signal-to-noise ratios of these moments and of the weakest direction, the numbers of found and judged maps.
    facts: dict[str, Setting] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Describer:
    """Turns found maps into transformations of samples with names."""

    found: Found
    grid: Grid | None
    data: DataSummary
    #: The labels that occur, in order: class c of the search has label `labels[c]`.
    labels: tuple[int, ...]

    def answer(self, settings: dict[str, Setting], seed: int) -> Answer:
        found = self.found
        group, words = _group(found.elements)
        algebra, name = None, "" if group is None or not found.degree else group.name
        generators = kept_maps(found.generators)
        if generators:
            inner = torch.stack(generators)
            algebra = groups.Algebra(found.frame.back @ inner @ found.frame.to, compact_name(inner))
            kept = kept_maps(found.elements)
            name = continuous_name(algebra, len(kept) + 1)
            if len(kept) == len(inner) == 1 and float((kept[0] @ inner[0] @ kept[0].T * inner[0]).sum()) < -0.9:
                name = "O(2)"  # the only map reverses the only generator
        rows = (*self._continuous_rows(), *self._rows(words))
        return Answer(
            question="labels" if self.labels else "data",
            data=self.data,
            rows=rows,
            sentence=sentence_of(rows, name, bool(self.labels)) if found.degree else WEAK,
            name=name,
            group=group if found.degree else None,
            algebra=algebra,
            notes=(*self._notes(rows), *found.notes),
            seed=seed,
            settings={**settings, "rank": found.frame.rank, "degree": found.degree, **found.facts},
        )

    @property
    def _columns(self) -> tuple[str, ...]:
        return self.data.columns or tuple(str(place + 1) for place in range(len(self.found.frame.mean)))

    def _rows(self, words: Sequence[str | None]) -> tuple[Row, ...]:
        frame, columns = self.found.frame, self._columns
        known = list(known_maps(self.grid, len(frame.mean), bool(self.data.columns))) if self.found.elements else []
        rows: dict[str, Row] = {}
        for number, (element, word) in enumerate(zip(self.found.elements, words, strict=True), 1):
            candidates = known if self.grid is not None else [*known, column_map(element.inner, frame, columns)]
            named = name_map(element.inner, frame, candidates)
            if named is None or named[0][0].name in rows:
                transformation = self._unnamed(element, f"map {number}")
            else:
                transformation, matrix = named[0]
                if transformation.matrix is not None:
                    transformation = replace(transformation, offset=self._offset(matrix))
            row = self._row(transformation, element, named and named[1])
            evidence = (*row.evidence, *self._label_evidence(element.classes, row.evidence[0]))
            rows[row.name] = replace(row, evidence=evidence, element=word)
        return tuple(rows.values())

    def _continuous_rows(self) -> tuple[Row, ...]:
        rows: dict[str, Row] = {}
        for number, generator in enumerate(self.found.generators, 1):
            named = name_generator(generator.inner, self.found.frame, self.grid, self._columns)
            name = f"continuous map {number}" if named is None or named[0] in rows else named[0]
            matrix = self.found.frame.lift(torch.linalg.matrix_exp(generator.inner))
            rows[name] = self._row(self._of_rows(name, matrix), generator, named and named[1])
        return tuple(rows.values())

    def _row(self, transformation: Transformation, element: Element, cosine: float | None) -> Row:
        judged = element.judgement
        detail = Defect(judged.noise, judged.share, judged.worst_direction, element.error, cosine)
        interval = judged.violation - judged.margin, judged.violation + judged.margin
        count = self.data.count * judged.more
        needed = math.ceil(count) if judged.verdict == "undecided" and count < MOST_SAMPLES else None
        evidence = Evidence("moments", judged.violation, interval, verdict=judged.verdict, detail=detail)
        return Row(transformation, judged.verdict, (evidence,), needed=None if needed is None else (needed, needed))

    def _label_evidence(self, classes: Classes | None, moments: Evidence) -> tuple[Evidence, ...]:
        """The evidence about labels: a map permutes the classes, or leaves them as they are."""
        if classes is None:
            return ()
        images = list(range(max(len(self.data.classes), max(self.labels) + 1)))
        for label, target in zip(self.labels, classes, strict=True):
            images[label] = self.labels[target]
        permutation = () if images == sorted(images) else tuple(images)
        is_open = moments.verdict == "undecided"
        found = LabelMap("undecided" if is_open else "permuted" if permutation else "survive", permutation=permutation)
        return (replace(moments, kind="labels", detail=found),)

    def _unnamed(self, element: Element, name: str) -> Transformation:
        """A map as a warp of images of any size, or as a matrix of exact period on columns or small samples."""
        inner, frame, grid = element.inner, self.found.frame, self.grid
        period = None if element.period == 1 else element.period
        phrase = "a map" if period is None else f"a map of order {period}"
        if grid is not None and grid.kind == "images" and (warp := fit_warp(inner, frame, grid)) is not None:
            return Transformation(name, function=warp, space="images", order=period, phrase=phrase)
        inner = inner if period is None else of_exact_order(inner, period)
        return replace(self._of_rows(name, frame.lift(inner)), order=period, phrase=phrase)

    def _of_rows(self, name: str, matrix: Tensor) -> Transformation:
        """A matrix on the columns as a map of samples: from the order of `vec` to that of `flatten`."""
        offset = self._offset(matrix)
        if self.grid is not None:
            sizes = self.grid.channels, *reversed(self.grid.patch)
            order = torch.arange(len(matrix)).view(sizes).permute(0, *range(len(sizes) - 1, 0, -1)).flatten()
            matrix, offset = matrix[order][:, order], None if offset is None else offset[order]
        return Transformation(name, matrix=matrix, space="rows", offset=offset)

    def _offset(self, matrix: Tensor) -> Tensor | None:
        """`b = (I - A) mean`, which leaves the mean as it is; None if it is zero up to the noise of the mean."""
        frame = self.found.frame
        offset = frame.mean - matrix @ frame.mean
        noise = float((torch.eye(frame.rank, dtype=matrix.dtype) - frame.lower(matrix)).norm()) / self.data.count**0.5
        return offset if float((frame.to @ offset).norm()) > 3 * noise else None

    def _notes(self, rows: Sequence[Row]) -> tuple[str, ...]:
        frame, maps = self.found.frame, [row.name for row in rows if row.transformation.space == "rows"]
        where = f"{frame.rank} of {len(frame.mean)} directions and moments up to order {self.found.degree}"
        notes = [f"The search used {where}; it may miss maps."] if self.found.degree else []
        if self.grid is not None and maps:
            size = "x".join(map(str, (self.grid.channels, *self.grid.patch)))
            notes.append(f"Matrices act on small and smooth {self.grid.kind} of {size}.")
        if any(row.transformation.offset is not None for row in rows):
            notes.append("Some maps have an offset, so that the mean of the data stays; layers need centred data.")
        return tuple(notes)


@torch.no_grad()
def of_exact_order(matrix: Tensor, order: int) -> Tensor:
    """The matrix with eigenvalues rounded to roots of unity, so that `A^order = I`.  (r, r) -> (r, r)"""
    return Cyclic(matrix[None, None], (len(matrix), 1), order).matrix()[0, 0]


def _group(elements: Sequence[Element]) -> tuple[groups.Group | None, list[str | None]]:
    """The group of the kept elements, and the word of every kept element."""
    kept = kept_maps(elements)
    closed = closure(kept)
    if closed is None:
        return None if kept else groups.cyclic(1), [None] * len(elements)
    numbers = [
        int((closed.elements - element.inner).flatten(1).norm(dim=1).argmin()) if element.verdict == "kept" else None
        for element in elements
    ]
    group = generated_by(closed.group, [number for number in numbers if number is not None])
    return group, [None if number is None else group.words[number] for number in numbers]


def continuous_name(algebra: groups.Algebra, components: int) -> str:
    """The name of a continuous group with this number of components."""
    name = algebra.name.replace("so", "SO").replace("su", "SU").replace(" + ", " x ")
    name = name or f"a Lie group of dimension {algebra.dimension}"
    return f"{name} with {components} components" if components > 1 else name


def sentence_of(rows: Sequence[Row], name: str, labels: bool) -> str:
    """The sentence: the kept maps, and the number of undecided maps."""
    kept = [row.transformation.spoken for row in rows if row.verdict == "kept"]
    undecided = [row for row in rows if row.verdict == "undecided"]
    what = "The distribution and the classes have" if labels else "The distribution has"
    sentence = f"{what} no linear symmetry that can be proved."
    if kept:
        more = f" and {len(kept) - LISTED} more" if len(kept) > LISTED else ""
        sentence = f"{what} the symmetry group {name}: {', '.join(kept[:LISTED])}{more}."
    if undecided:
        needed = [row.needed[0] for row in undecided if row.needed is not None]
        enough = f"; {min(needed):,} samples may decide" if needed else ""
        sentence += f" {len(undecided)} {'map is' if len(undecided) == 1 else 'maps are'} undecided{enough}."
    return sentence
