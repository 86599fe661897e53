"""Confirmation of maps that moments keep: observers judge them on other samples than those that found them."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn import groups
from lgn.actions import unvec, vec
from lgn.answer import Answer, Defect, Evidence, Row
from lgn.data.kinds import Kind
from lgn.discovery.images.images_answer import discover_images
from lgn.discovery.images.rows import with_evidence
from lgn.discovery.moments.moments_answer import continuous_name, of_exact_order, sentence_of
from lgn.discovery.moments.prepare import prepare
from lgn.discovery.moments.sample import whitening
from lgn.groups.closing import generated_by
from lgn.transforms import AXES, Transformation, find

#: The height of a picture of whitened numbers.
SIDE = 4

# Note [Pictures of whitened numbers]
# Observers judge a transformation of the catalogue on the samples themselves. Any other map is only known on the r
# whitened directions, and interpolation would leave traces. So observers see the r whitened numbers of a sample as a
# picture, and the map of these numbers, with eigenvalues that are rounded to make its order exact.


def confirm(answer: Answer, samples: Tensor, *, kind: Kind, seed: int = 0, effort: float = 1.0) -> Answer:
    """Let observers try to tell A x from x for every map A that moments keep; a map that they tell apart is broken.

    The answer is about all samples: those that found the maps, and those that the observers see.

    samples: other samples than those that found the maps, of the same kind.
    """
    # Single maps, without continuous groups, that both halves of the samples found.
    details = ((row, evidence.detail) for row in answer.kept if (evidence := row.of("moments")) is not None)
    rows = [row for row, detail in details if isinstance(detail, Defect) and detail.error is not None]
    known = [row for row in rows if kind in AXES and find(row.name, kind) is not None]
    others = [row for row in rows if row not in known]
    found = _observed([row.transformation for row in known], samples, kind, seed, effort)
    if others:
        pictures, maps = _whitened(others, samples, kind, answer.settings, seed)
        found |= _observed(maps, pictures, "images", seed, effort)
    count = answer.data.count + len(samples)
    factor = count / answer.data.count  # observers see the same share of more samples
    all_rows = tuple(
        replace(row, needed=row.needed and (math.ceil(row.needed[0] * factor), math.ceil(row.needed[1] * factor)))
        for row in answer.rows
    )
    sentence = sentence_of(all_rows, answer.name, answer.question == "labels") if all_rows else answer.sentence
    note = f"{answer.data.count:,} samples propose linear maps, and observers see the other {len(samples):,}."
    data, notes = replace(answer.data, count=count), (*answer.notes, note)
    return _with_evidence(replace(answer, data=data, rows=all_rows, sentence=sentence, notes=notes), found)


def _observed(
    maps: Sequence[Transformation], samples: Tensor, kind: Kind, seed: int, effort: float
) -> dict[str, Evidence]:
    """The evidence of observers by the names of the maps."""
    if not maps:
        return {}
    answer = discover_images(samples, kind=kind, candidates=maps, evidence=("data",), seed=seed, effort=effort)
    observed = {candidate.name: answer[candidate.name].of("data") for candidate in maps}
    return {name: evidence for name, evidence in observed.items() if evidence is not None}


def _whitened(
    rows: Sequence[Row], samples: Tensor, kind: Kind, settings: dict[str, Any], seed: int
) -> tuple[Tensor, list[Transformation]]:
    """Whitened numbers as pictures, and the maps of these numbers.  -> (N, 1, SIDE, width)"""
    options = {name: settings.get(name) for name in ("size", "blur", "patch")}
    sample, grid = prepare(samples, None, kind, seed=seed, **options)
    x = sample.x[:: len(sample.x) // len(samples)]  # one patch of each image
    frame = whitening(x).leading(settings["rank"])
    units = torch.cat([torch.zeros_like(x[:1]), torch.eye(x.shape[1], dtype=x.dtype)])
    units = units.unflatten(1, tuple(samples.shape[1:]) if grid is None else (grid.channels, -1))
    maps = []
    for row in rows:
        moved = row.transformation(units if grid is None else unvec(units, grid.patch))
        moved = (moved if grid is None else vec(moved, len(grid.patch))).flatten(1)
        inner, order = frame.lower((moved[1:] - moved[0]).T), row.transformation.order
        inner = inner if order is None else of_exact_order(inner, order)
        maps.append(Transformation(row.name, function=partial(_act, inner), space="images", order=order))
    z, width = frame.apply(x).float(), max(SIDE, math.ceil(frame.rank / SIDE))
    return F.pad(z, (0, SIDE * width - frame.rank)).view(-1, 1, SIDE, width), maps


def _act(inner: Tensor, pictures: Tensor) -> Tensor:
    flat = pictures.flatten(1)
    z = flat[:, : len(inner)].double() @ inner.T
    return torch.cat([z.to(flat), flat[:, len(inner) :]], 1).view(pictures.shape)


def _with_evidence(answer: Answer, found: dict[str, Evidence]) -> Answer:
    """The answer with the evidence of observers; maps that they tell apart are broken."""
    broken = [name for name, evidence in found.items() if evidence.verdict == "broken"]
    rows = [with_evidence(row, found[row.name]) if row.name in found else row for row in answer.rows]
    if not broken:
        return replace(answer, rows=tuple(rows))
    rows = [replace(row, verdict="broken") if row.name in broken else row for row in rows]
    kept = [row.name for row in rows if row.verdict == "kept" and row.element is not None]
    group, words = _group_of_kept(answer, kept, broken)
    rows = [replace(row, element=words.get(row.name)) for row in rows]
    name = "" if group is None else group.name
    name = name if answer.algebra is None else continuous_name(answer.algebra, len(kept) + 1)
    notes = (*answer.notes, f"Observers tell apart what the moments keep: {', '.join(broken)}.")
    sentence = sentence_of(rows, name, answer.question == "labels")
    return replace(answer, rows=tuple(rows), group=group, name=name, notes=notes, sentence=sentence)


def _group_of_kept(
    answer: Answer, kept: Sequence[str], broken: Sequence[str]
) -> tuple[groups.Group | None, dict[str, str]]:
    """The group that the kept maps generate, and their words in it; None if it contains a broken map."""
    if answer.group is None:
        return None, {}
    numbers = {name: answer.group[answer[name].element or "e"].number for name in (*kept, *broken)}
    part = answer.group.subgroup([numbers[name] for name in kept])
    if any(numbers[name] in part.elements for name in broken):
        return None, {}
    elements = {name: part.elements.index(numbers[name]) for name in kept}
    group = generated_by(part.group(), elements.values())
    return group, {name: group.words[element] for name, element in elements.items()}
