"""The answer: rows with names, the group of the kept maps, the algebra of the continuous ones, and one sentence."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from lgn import groups
from lgn.answer import Answer, DataSummary, Defect, Evidence, LabelMap, Row
from lgn.answer.answer import Setting
from lgn.data.kinds import Kind
from lgn.discovery.moments.continuous import Generator
from lgn.discovery.moments.elements import Element, kept_group
from lgn.discovery.moments.finder import Found
from lgn.discovery.moments.known_maps import column_map, known_maps, name_generator, name_map
from lgn.discovery.moments.prepare import Grid
from lgn.discovery.moments.sample import Classes
from lgn.discovery.moments.warp import fit_warp
from lgn.generators import Cyclic
from lgn.groups.algebra import compact_name
from lgn.groups.words import default_names
from lgn.transforms import AXES, Transformation

#: The largest number of samples that can decide: a larger estimate is not given.
MOST_SAMPLES = 1e12
#: The number of samples in pictures, and of maps in a sentence.
EXAMPLES, LISTED = 6, 4


@dataclass(frozen=True, eq=False)
class Describer:
    """Turns found maps into transformations of samples with names."""

    found: Found
    grid: Grid | None
    data: DataSummary
    #: The labels that occur, in order: class c of the search has label `labels[c]`.
    labels: tuple[int, ...]

    def answer(self, settings: dict[str, Setting], seed: int) -> Answer:
        """The whole answer."""
        found = self.found
        group, words = _group(found.elements)
        generators = [one for one in found.generators if one.verdict == "kept"]
        algebra, name = None, group.name if group is not None and found.degree else ""
        if generators:
            inner = torch.stack([one.inner for one in generators])
            algebra = groups.Algebra(found.frame.back @ inner @ found.frame.to, compact_name(inner))
            name = _continuous_name(algebra, inner, [one.inner for one in found.elements if one.verdict == "kept"])
        rows = (*self._continuous_rows(), *self._rows(words))
        facts = {"rank": found.frame.rank, "degree": found.degree, "clarity": found.clarity, "weakest": found.weakest}
        return Answer(
            question="labels" if self.labels else "data",
            data=self.data,
            rows=rows,
            sentence=_sentence(rows, name, bool(self.labels), found.degree),
            name=name,
            group=group if found.degree else None,
            algebra=algebra,
            notes=(*self._notes(rows), *found.notes),
            seed=seed,
            settings={**settings, **facts, "solutions": found.solutions, "judged": found.judged},
        )

    def _rows(self, words: Sequence[str | None]) -> tuple[Row, ...]:
        frame, columns = self.found.frame, self.data.columns
        known = known_maps(self.grid, len(frame.mean), bool(columns)) if self.found.elements else []
        rows: dict[str, Row] = {}
        for number, (element, word) in enumerate(zip(self.found.elements, words, strict=True), 1):
            candidates = known if self.grid is not None else [*known, column_map(element.inner, frame, columns)]
            named = name_map(element.inner, frame, candidates)
            if named is None or named[0][0].name in rows:
                transformation = self._unnamed(element, f"map {number}")
            else:
                transformation, matrix = named[0]
                if transformation.matrix is not None:
                    transformation = replace(transformation, offset=self._offset(matrix, element.inner))
            evidence = self._evidence(element, named and named[1])
            rows[transformation.name] = Row(transformation, element.verdict, evidence, word, self._needed(element))
        return tuple(rows.values())

    def _unnamed(self, element: Element, name: str) -> Transformation:
        """A map as a warp of images of any size, or as a matrix of exact period on columns or small samples."""
        inner, frame, grid = element.inner, self.found.frame, self.grid
        period = None if element.period == 1 else element.period
        phrase = "a map" if period is None else f"a map of order {period}"
        if grid is not None and grid.kind == "images" and (warp := fit_warp(inner, frame, grid)) is not None:
            return Transformation(name, function=warp, space="images", order=period, phrase=phrase)
        if period is not None:  # eigenvalues rounded to roots of unity
            with torch.no_grad():
                inner = Cyclic(inner[None, None], (len(inner), 1), period).matrix()[0, 0]
        matrix = frame.lift(inner)
        return self._rows_map(name, matrix, self._offset(matrix, inner), period, phrase)

    def _rows_map(
        self, name: str, matrix: Tensor, offset: Tensor | None, order: int | None, phrase: str
    ) -> Transformation:
        """A matrix on the columns as a map of samples: from the order of `vec` to that of `flatten`."""
        if self.grid is not None:
            place = torch.arange(math.prod(self.grid.patch)).view(*reversed(self.grid.patch))
            place = place.permute(*reversed(range(place.ndim))).flatten()
            place = (len(place) * torch.arange(self.grid.channels)[:, None] + place).flatten()
            matrix, offset = matrix[place][:, place], None if offset is None else offset[place]
        return Transformation(name, matrix=matrix, space="rows", order=order, phrase=phrase, offset=offset)

    def _offset(self, matrix: Tensor, inner: Tensor) -> Tensor | None:
        """`b = (I - A) mean`, which leaves the mean as it is; None if it is zero up to the noise of the mean."""
        frame = self.found.frame
        offset = frame.mean - matrix @ frame.mean
        noise = (torch.eye(len(inner), dtype=inner.dtype) - inner).norm() / self.data.count**0.5
        return offset if float((frame.to @ offset).norm()) > 3 * float(noise) else None

    def _continuous_rows(self) -> tuple[Row, ...]:
        rows: list[Row] = []
        for number, generator in enumerate(self.found.generators, 1):
            named = name_generator(generator.inner, self.found.frame, self.grid, self.data.columns)
            name = f"continuous map {number}" if named is None or named[0] in {row.name for row in rows} else named[0]
            moved = torch.linalg.matrix_exp(generator.inner)
            matrix = self.found.frame.lift(moved)
            transformation = self._rows_map(name, matrix, self._offset(matrix, moved), None, "")
            detail = Defect(generator.noise, generator.share, cosine=named and named[1])
            interval = generator.share - generator.margin, generator.share + generator.margin
            evidence = Evidence("moments", generator.share, interval, verdict=generator.verdict, detail=detail)
            rows.append(Row(transformation, generator.verdict, (evidence,), needed=self._needed(generator)))
        return tuple(rows)

    def _evidence(self, element: Element, cosine: float | None) -> tuple[Evidence, ...]:
        judged = element.judgement
        detail = Defect(judged.noise, judged.share, judged.worst_direction, element.error, cosine)
        interval = judged.violation - judged.margin, judged.violation + judged.margin
        evidence = Evidence("moments", judged.violation, interval, verdict=element.verdict, detail=detail)
        if element.classes is None:
            return (evidence,)
        permutation = self._permutation(element.classes)
        effect: Literal["survive", "permuted", "undecided"] = "permuted" if permutation else "survive"
        labels = LabelMap("undecided" if element.verdict == "undecided" else effect, permutation=permutation)
        return evidence, replace(evidence, kind="labels", detail=labels)

    def _permutation(self, classes: Classes) -> tuple[int, ...]:
        """Where each label goes; empty if no label moves."""
        if classes == tuple(range(len(classes))):
            return ()
        places = list(range(max(len(self.data.classes), max(self.labels) + 1)))
        for label, target in zip(self.labels, classes, strict=True):
            places[label] = self.labels[target]
        return tuple(places)

    def _needed(self, one: Element | Generator) -> tuple[int, int] | None:
        count = self.data.count * one.more
        return (math.ceil(count), math.ceil(count)) if one.verdict == "undecided" and count < MOST_SAMPLES else None

    def _notes(self, rows: Sequence[Row]) -> tuple[str, ...]:
        found, grid = self.found, self.grid
        if not found.degree:
            return ()
        where = f"{found.frame.rank} of {len(found.frame.mean)} directions"
        notes = [f"The search used {where} and moments up to order {found.degree}; it may miss maps."]
        maps = [row.name for row in rows if row.transformation.space == "rows"]
        if grid is not None and maps:
            size = "x".join(map(str, (grid.channels, *grid.patch)))
            notes.append(f"Maps without a name act on small and smooth {grid.kind} of {size}: {', '.join(maps)}.")
        if any(row.transformation.offset is not None for row in rows):
            notes.append("Some maps leave the mean of the data as it is by an offset; layers need centred data.")
        return tuple(notes)


def summary(samples: Tensor, kind: Kind, classes: Sequence[str], columns: Sequence[str]) -> DataSummary:
    """What the data were taken to be."""
    examples = samples[:EXAMPLES].cpu() if kind in AXES else None
    return DataSummary(kind, len(samples), tuple(samples.shape[1:]), tuple(classes), tuple(columns), examples=examples)


def _group(elements: Sequence[Element]) -> tuple[groups.Group | None, list[str | None]]:
    """The group of the kept elements, generated by as few of them as possible, and the word of every element."""
    nothing: list[str | None] = [None] * len(elements)
    kept = [element for element in elements if element.verdict == "kept"]
    if not kept:
        return groups.cyclic(1), nothing
    closed = kept_group(elements)
    if closed is None:
        return None, nothing
    places = [int((closed.elements - one.inner).flatten(1).norm(dim=1).argmin()) for one in kept]
    generators: list[int] = []
    for place in sorted(set(places) - {0}, key=lambda g: -closed.group.element_orders[g]):
        if place not in closed.group.subgroup(generators).elements:
            generators.append(place)
    group = groups.Group(closed.group.table, default_names(len(generators)), tuple(generators))
    words = iter([group.words[place] for place in places])
    return group, [next(words) if element.verdict == "kept" else None for element in elements]


def _continuous_name(algebra: groups.Algebra, inner: Tensor, kept: Sequence[Tensor]) -> str:
    """The name of a continuous group with its components, such as "O(2)"."""
    name = algebra.name.replace("s", "S").replace("o", "O").replace("u", "U").replace(" + ", " x ")
    name = name or f"a Lie group of dimension {algebra.dimension}"
    if not kept:
        return name
    if name == "SO(2)" and len(kept) == 1:
        turned = kept[0] @ inner[0] @ kept[0].T
        if float((turned * inner[0]).sum()) < -0.9:
            return "O(2)"
    return f"{name} with {len(kept) + 1} components"


def _sentence(rows: Sequence[Row], name: str, labels: bool, degree: int) -> str:
    if not degree:
        return "The moments of the samples are too weak to show a symmetry."
    kept = [row.transformation.spoken for row in rows if row.verdict == "kept"]
    undecided = [row for row in rows if row.verdict == "undecided"]
    what = "The distribution and the classes have" if labels else "The distribution has"
    parts = [f"{what} no linear symmetry that can be proved."]
    if kept:
        more = f" and {len(kept) - LISTED} more" if len(kept) > LISTED else ""
        parts = [f"{what} the symmetry group {name}: {', '.join(kept[:LISTED])}{more}."]
    if undecided:
        needed = [row.needed[0] for row in undecided if row.needed is not None]
        enough = f"; {min(needed):,} samples may decide" if needed else ""
        maps = "1 map is" if len(undecided) == 1 else f"{len(undecided)} maps are"
        parts.append(f"{maps} undecided{enough}.")
    return " ".join(parts)
