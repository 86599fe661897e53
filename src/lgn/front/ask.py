"""`lgn.discover`: the symmetries of data, and of data with classes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from lgn.answer import Answer
from lgn.data import DataSet, checksum, generator_for
from lgn.discovery.images import discover_images
from lgn.discovery.images.confirmation import confirm
from lgn.discovery.images.question import Candidate
from lgn.discovery.moments import discover_moments
from lgn.discovery.observers import MARGIN
from lgn.files import SCHEMA, read_json, write_json
from lgn.front.inputs import Inputs, block_numbers, read_question
from lgn.stats import halves
from lgn.transforms import DEFAULTS
from lgn.version import __version__

#: The candidate that stands for linear maps without names.
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

    data: a tensor, an array, a list, a data frame, a torch data set, or the name or the path of a data set, of which
        only the training samples are used.
    target: one class per sample; for data frames and files, the name of the column of classes.
    kind: "images", "signals", "volumes", "tables" or "points"; needed for data with three axes.
    target_kind: "classes", for integers as the target of tables and points.
    of: "labels", the default with a target, or "data", which ignores the target.
    candidates: names of `lgn.transforms.CANDIDATES`, your own transformations and groups, and "unknown" for linear maps
        without names. Tables and points have no candidates.
    evidence: kinds of evidence for images, signals and volumes: "data", "labels", "network", "affine".
    blocks: one label per sample; samples with the same label may depend on each other.
    margin, effort, minutes: the smallest break that counts, a factor of the training of observers, a limit of time.
    verify: let observers confirm linear maps without names on other samples; always done for images.
    rank, size, blur, patch, starts: see `lgn.discovery.moments.discover_moments`, for linear maps without names.
    device: the device of the computation, or "auto"; by default that of the data.
    """
    asked, named = _names(evidence), _names(candidates)
    inputs = read_question(data, target, of, asked, device, kind=kind, target_kind=target_kind)
    common: dict[str, Any] = {"kind": inputs.kind, "class_names": inputs.class_names}
    common |= {"blocks": block_numbers(blocks, len(inputs.samples)), "seed": seed, "progress": progress}
    images: dict[str, Any] = {"of": of, "evidence": asked, "margin": margin, "effort": effort, "minutes": minutes}
    moments = {"rank": rank, "size": size, "blur": blur, "patch": patch, "starts": starts}
    moments = {name: value for name, value in moments.items() if value is not None}
    is_grid, options = inputs.kind in DEFAULTS, {"columns": inputs.columns, **moments, **common}
    if not is_grid:
        _refuse(inputs.kind, candidates=named or None, evidence=asked, minutes=minutes)
    if is_grid and UNKNOWN not in (named or ()):
        _refuse(f"{inputs.kind} and named candidates", **moments)
        found = discover_images(inputs.samples, inputs.labels, candidates=named, **images, **common)
    elif not is_grid and not verify:
        found = discover_moments(inputs.samples, inputs.labels, **options)
    else:
        found = _confirmed_maps(inputs, options, effort)
        if rest := tuple(candidate for candidate in named or () if candidate != UNKNOWN):
            found = _joined(discover_images(inputs.samples, inputs.labels, candidates=rest, **images, **common), found)
    return replace(found, notes=(*inputs.notes, *found.notes))


def stored_answer(out: Path, data: DataSet, options: dict[str, Any]) -> Answer | None:
    """The answer in a directory if it is about these training samples and options; None otherwise."""
    answer, question = out / ANSWER, out / QUESTION
    if not answer.is_file() or not question.is_file() or read_json(question) != _question(data, options):
        return None
    return Answer.load(answer)


def store_answer(found: Answer, out: Path, data: DataSet, options: dict[str, Any]) -> None:
    """Store an answer with its question."""
    out.mkdir(parents=True, exist_ok=True)
    found.save(out / ANSWER)
    write_json(out / QUESTION, _question(data, options))


def _question(data: DataSet, options: dict[str, Any]) -> dict[str, Any]:
    """The training samples, the options and the version, as plain values."""
    samples, labels = data.train.samples, data.train.labels
    question = {"schema": SCHEMA, "version": __version__, "options": repr(sorted(options.items()))}
    return question | {"samples": checksum(samples), "labels": "" if labels is None else checksum(labels)}


def _confirmed_maps(inputs: Inputs, options: dict[str, Any], effort: float) -> Answer:
    """Linear maps without names: a half of the samples finds them, and observers see the other half."""
    samples, labels, blocks = inputs.samples, inputs.labels, options["blocks"]
    numbers = torch.arange(len(samples)) if blocks is None else blocks
    first, _ = halves(int(numbers.max()) + 1, generator_for("unknown maps", options["seed"]))
    half = torch.isin(numbers, first)
    options = {**options, "blocks": None if blocks is None else blocks[half]}
    found = discover_moments(samples[half], None if labels is None else labels[half], **options)
    return confirm(found, samples[~half], kind=inputs.kind, seed=options["seed"], effort=effort)


def _joined(named: Answer, unknown: Answer) -> Answer:
    """The answer about named transformations with the rows of unknown maps, which are no elements of its group."""
    names = {row.name for row in named.rows}
    return replace(
        named,
        rows=(*named.rows, *(replace(row, element=None) for row in unknown.rows if row.name not in names)),
        algebra=unknown.algebra,
        sentence=f"{named.sentence} {unknown.sentence}",
        notes=(*named.notes, *unknown.notes),
        settings=unknown.settings | named.settings,
    )


def _names(names: Sequence[Any] | str | None) -> tuple[Any, ...] | None:
    if isinstance(names, str):
        return tuple(name.strip() for name in names.split(","))
    return None if names is None else tuple(names)


def _refuse(subject: str, **options: Any) -> None:
    for name, value in options.items():
        if value is not None:
            raise ValueError(f"{name} must be None for {subject}, got {value!r}")
