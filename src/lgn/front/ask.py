"""`lgn.discover`: the symmetries of data, and of data with classes."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from lgn.answer import Answer, Row
from lgn.apply import Action
from lgn.data import DataSet, checksum
from lgn.devices import choose_device
from lgn.discovery.images import discover_images
from lgn.discovery.images.confirm import confirm
from lgn.discovery.moments import discover_moments
from lgn.discovery.observers import MARGIN
from lgn.files import read_json, write_json
from lgn.front.inputs import NOT_BUILT, Inputs, read_inputs
from lgn.transforms import DEFAULTS, Transformation
from lgn.version import __version__

Candidate = str | Transformation | Action
#: The candidate for linear maps that the moments of the samples propose.
UNKNOWN = "unknown"
ANSWER, QUESTION = "answer.json", "question.json"


def discover(
    data: Any,
    target: Any = None,
    *,
    kind: str | None = None,
    target_kind: str | None = None,
    of: str | None = None,
    candidates: Sequence[Candidate] | str | None = None,
    evidence: Sequence[str] | str | None = None,
    blocks: Any = None,
    margin: float = MARGIN,
    effort: float = 1.0,
    minutes: float | None = None,
    verify: bool = False,
    rank: int | None = None,
    size: int | None = None,
    blur: float | None = None,
    patch: int | tuple[int, int] | None = None,
    starts: int | None = None,
    seed: int = 0,
    device: str | torch.device | None = None,
    progress: bool = False,
) -> Answer:
    """Find the transformations that preserve the distribution of data and, with a target, its classes.

    data: a tensor, an array, a list, a data frame, a torch data set, an `lgn.data.DataSet` or `Split`, or the name or
        the path of a data set. Of a data set, only the training samples are used.
    target: classes, one per sample; for data frames and files, the name of their column.
    kind: "images", "signals", "volumes", "tables" or "points"; needed for data with three axes.
    target_kind: "classes", for a target of integers with tables and points.
    of: the question, "data" or "labels"; by default "labels" if there is a target. "data" ignores the target.
    candidates: for images, signals and volumes, names of `lgn.transforms.CANDIDATES`, "unknown" for linear maps without
        names, and transformations or groups of your own. Tables and points have no candidates.
    evidence: kinds of evidence for images, signals and volumes: "data", "labels", "network", "affine".
    blocks: one label per sample; samples with the same label may depend on each other.
    margin: a transformation is kept if the best observer would tell it apart less often than 0.5 + margin.
    effort: a factor of the length of the training of observers.
    minutes: a limit of time for images, signals and volumes; notes say what was left out.
    verify: whether observers confirm the linear maps of tables and points that the moments keep.
    rank, size, blur, patch, starts: of linear maps without names: the number of whitened directions, the size and the
        blur of whole images, the size of patches that are used instead of whole images, and the number of random starts.
    device: the device of the computation, or "auto"; by default that of the data.

    Example::

        found = lgn.discover(images, labels)
        print(found)
        model = found.network()
    """
    inputs = _inputs(data, target, of=of, kind=kind, target_kind=target_kind, evidence=_names(evidence))
    samples, labels = inputs.samples, inputs.labels
    if device is not None:
        samples = samples.to(choose_device(device))
        labels = None if labels is None else labels.to(samples.device)
    common: dict[str, Any] = {
        "kind": inputs.kind,
        "class_names": inputs.class_names,
        "seed": seed,
        "progress": progress,
    }
    common["blocks"] = None if blocks is None else _blocks(blocks, len(samples))
    images = {"evidence": _names(evidence), "minutes": minutes, "margin": margin, "effort": effort}
    moments = {"rank": rank, "size": size, "blur": blur, "patch": patch, "starts": starts}
    moments = {name: value for name, value in moments.items() if value is not None}
    named = _names(candidates)
    if inputs.kind not in DEFAULTS:
        _refuse_others(inputs.kind, candidates=candidates, evidence=evidence, minutes=minutes)
        found = discover_moments(samples, labels, columns=inputs.columns, **moments, **common)
        found = confirm(found, samples, kind=inputs.kind, seed=seed, effort=effort) if verify else found
    elif named is None or UNKNOWN not in named:
        _refuse_others(inputs.kind, **moments)
        found = discover_images(samples, labels, candidates=named, of=of, **images, **common)
    else:
        found = discover_moments(samples, labels, **moments, **common)
        found = confirm(found, samples, kind=inputs.kind, seed=seed, effort=effort)
        if others := tuple(candidate for candidate in named if candidate != UNKNOWN):
            found = _joined(discover_images(samples, labels, candidates=others, of=of, **images, **common), found)
    return replace(found, notes=(*inputs.notes, *found.notes))


def discover_or_load(data: DataSet, out: Path, *, progress: bool = False, **options: Any) -> Answer:
    """The answer that is stored in a directory if the question and the data are the same; otherwise a new one.

    A new answer is stored as answer.json, and its question as question.json.
    """
    labels = data.train.labels
    question = {
        "version": __version__,
        "samples": checksum(data.train.samples),
        "options": repr(sorted(options.items())),
    }
    question["labels"] = "" if labels is None else checksum(labels)
    stored = out / QUESTION
    if (out / ANSWER).is_file() and stored.is_file() and question.items() <= read_json(stored).items():
        return Answer.load(out / ANSWER)
    found = discover(data, **options, progress=progress)
    out.mkdir(parents=True, exist_ok=True)
    found.save(out / ANSWER)
    write_json(stored, question)
    return found


def _inputs(data: Any, target: Any, *, of: str | None, evidence: tuple[Any, ...] | None, **kinds: str | None) -> Inputs:
    """The samples, with their classes if the question is about them."""
    if of not in (None, "data", "labels"):
        law = f": {NOT_BUILT}" if of == "law" else ""
        raise ValueError(f'of must be "data" or "labels", got {of!r}{law}')
    inputs = read_inputs(data, target, kinds["kind"], kinds["target_kind"])
    if of == "labels" and inputs.labels is None:
        raise ValueError('target must be given for of="labels", got None')
    if of == "data" and not set(evidence or ()) - {"data"}:
        return replace(inputs, labels=None, class_names=())
    return inputs


def _names(names: Sequence[Any] | str | None) -> tuple[Any, ...] | None:
    return tuple(names.split(",")) if isinstance(names, str) else None if names is None else tuple(names)


def _blocks(blocks: Any, count: int) -> Tensor:
    """Blocks of any values as integers.  (N,) -> (N,)"""
    values = np.asarray(blocks.cpu() if isinstance(blocks, Tensor) else blocks)
    if values.shape != (count,):
        raise ValueError(f"blocks must have one label for each of {count:,} samples, got shape {values.shape}")
    return torch.from_numpy(np.unique(values, return_inverse=True)[1])


def _refuse_others(kind: str, **options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} must be None for {kind} with these candidates, got {value!r}")


def _joined(named: Answer, unknown: Answer) -> Answer:
    """The answer about named transformations with the rows of unknown maps, which have no element of its group."""
    names = {row.name for row in named.rows}
    rows: tuple[Row, ...] = tuple(replace(row, element=None) for row in unknown.rows if row.name not in names)
    return replace(
        named,
        rows=(*named.rows, *rows),
        algebra=unknown.algebra,
        sentence=f"{named.sentence} {unknown.sentence}",
        notes=(*named.notes, *unknown.notes),
        settings=unknown.settings | named.settings,
    )
