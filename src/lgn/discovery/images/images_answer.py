"""`discover_images`: the transformations that preserve samples and their classes, and the gain of a network."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from lgn.answer import Answer, DataSummary, Row
from lgn.data import checksum
from lgn.data.kinds import Kind
from lgn.discovery.images.gain import network_gain
from lgn.discovery.images.kept_group import generating, kept_group
from lgn.discovery.images.label_effects import label_classifier, label_effect
from lgn.discovery.images.learned_affine import IMAGES, affine_generator, search_affine
from lgn.discovery.images.preparing import Prepared, prepare
from lgn.discovery.images.question import Candidate, Of, Question, asked, require_samples
from lgn.discovery.images.rows import data_rows, with_evidence, with_verdict
from lgn.discovery.images.wording import affine_note, notes_of, sentence
from lgn.discovery.observers import MARGIN, observe, shrink
from lgn.discovery.observers.observing import FamilyEvidence
from lgn.stats import LEVEL
from lgn.transforms import DEFAULTS, Transformation

#: The number of samples that are stored for pictures, and their longest side, by the number of axes.
EXAMPLES, EXAMPLE_SIDES = 6, {1: 512, 2: 48, 3: 32}
#: The number of samples on which products of the user's transformations are compared.
MULTIPLIED = 16
BAR_FORMAT = "{desc}: {percentage:3.0f} %, {remaining} left"


def discover_images(
    samples: Tensor,
    labels: Tensor | None = None,
    *,
    kind: Kind,
    class_names: Sequence[str] = (),
    candidates: Sequence[Candidate] | None = None,
    evidence: Sequence[str] | None = None,
    of: Of | None = None,
    margin: float = MARGIN,
    effort: float = 1.0,
    minutes: float | None = None,
    blocks: Tensor | None = None,
    seed: int = 0,
    progress: bool = False,
) -> Answer:
    """Find the transformations that preserve the distribution of images, signals or volumes, and their classes.

    Shapes: samples (N, C, H, W), (N, C, T) or (N, C, D, H, W), labels (N,), blocks (N,)

    candidates: names of `lgn.transforms.CANDIDATES[kind]`, and transformations and groups of the user.
    evidence: "data", "labels", "network" and "affine"; by default data, and labels if they are given. "network" is the
        gain of a network with a kept transformation; "affine" is the affine map that a network learns from labels.
    of: the question that the verdicts answer, "data" or "labels"; by default "labels" if `evidence` contains them.
    margin: a transformation is kept if the best observer would have an accuracy below 1/2 + margin.
    effort: a factor of the length of the training of observers.
    minutes: a limit of time; notes name the stages that are left out.
    blocks: samples with equal numbers stay on one side of the split, and count as one draw.
    """
    of, evidence = asked(kind, labels, of, evidence)
    candidates = DEFAULTS[kind] if candidates is None else candidates
    names = () if labels is None else class_names or [str(label) for label in range(int(labels.max()) + 1)]
    question = Question(
        kind=kind,
        of=of,
        candidates=(candidates,) if isinstance(candidates, str) else tuple(candidates),
        evidence=evidence,
        class_names=tuple(names),
        margin=margin,
        effort=effort,
        minutes=minutes,
        seed=seed,
    )
    require_samples(samples, labels, blocks, question)
    labels, blocks = (None if numbers is None else numbers.cpu() for numbers in (labels, blocks))
    with tqdm(desc="samples", leave=False, disable=None if progress else True, bar_format=BAR_FORMAT) as bar:
        stages = _Stages(bar, minutes)
        prepared = prepare(samples, labels, blocks, question)
        bar.total = len(prepared.families) + len(question.evidence) - 1
        found = [
            observe(family, prepared.division_of(family), margin, seed, prepared.effort)
            for family in prepared.families
            if stages.begin(family.name)
        ]
        rows, notes = _rows(found, prepared, question, stages)
    return _answer(samples, prepared, question, found, rows, [*notes, *stages.notes])


def _answer(
    samples: Tensor,
    prepared: Prepared,
    question: Question,
    found: Sequence[FamilyEvidence],
    rows: Sequence[Row],
    further_notes: Sequence[str],
) -> Answer:
    """The answer: the verdicts of rows with evidence, the group, the sentence and the notes."""
    rows = [with_verdict(row, question.of) for row in rows]
    kept = [row.name for row in rows if row.verdict == "kept"]
    families = [family_evidence.family for family_evidence in found]
    group, elements, name, group_notes = kept_group(families, kept, samples[:MULTIPLIED].float())
    count = len(prepared.data.samples)
    notes = (*prepared.notes, *group_notes, *notes_of(rows, found, question.kind, count), *further_notes)
    return Answer(
        question=question.of,
        data=DataSummary(
            kind=question.kind,
            count=count,
            shape=tuple(samples.shape[1:]),
            classes=question.class_names,
            checksum=checksum(samples),
            examples=_examples(samples, shrunk=not question.own),
        ),
        rows=tuple(replace(row, element=elements.get(row.name)) for row in rows),
        sentence=sentence(rows, found, question, name, count),
        name=name,
        group=group,
        notes=notes,
        level=LEVEL,
        seed=question.seed,
        settings={
            "candidates": tuple(_name(candidate) for candidate in question.candidates),
            "evidence": question.evidence,
            "margin": question.margin,
            "effort": prepared.effort,
            "minutes": question.minutes,
            "training_samples": len(prepared.training),
            "test_samples": len(prepared.test),
        },
    )


@dataclass
class _Stages:
    """The progress bar, and the limit of time."""

    bar: "tqdm[Any]"
    minutes: float | None
    start: float = field(default_factory=time.monotonic)
    number: int = 0
    left_out: list[str] = field(default_factory=list)

    def begin(self, name: str) -> bool:
        """Whether there is time for a stage; the bar shows its name."""
        self.bar.n, self.number = self.number, self.number + 1
        if self.number > 1 and self.minutes is not None and time.monotonic() - self.start > 60 * self.minutes:
            self.left_out.append(name)
            return False
        self.bar.set_description_str(name)
        return True

    @property
    def notes(self) -> list[str]:
        """The stages that were left out."""
        return [f"Not asked within {self.minutes:g} minutes: {', '.join(self.left_out)}."] if self.left_out else []


def _rows(
    found: Sequence[FamilyEvidence], prepared: Prepared, question: Question, stages: _Stages
) -> tuple[list[Row], list[str]]:
    """The rows with all evidence, and a note about the affine map of a network."""
    seed, classes = question.seed, len(question.class_names)
    rows = data_rows(found, prepared, question)
    kept = [row.name for row in rows if row.verdict == "kept"]
    if kept and "labels" in question.evidence and stages.begin("labels"):
        rows = _with_label_effects(rows, prepared, classes, seed)
    if kept and "network" in question.evidence and stages.begin("network"):
        rows = _with_gains(rows, kept, prepared, classes, seed)
    notes = []
    if "affine" in question.evidence and stages.begin("affine"):
        training, test = prepared.labelled(prepared.training[:IMAGES]), prepared.labelled(prepared.test)
        search = search_affine(training, test, classes, seed)
        geometry = affine_generator(search.model).geometry()
        notes.append(affine_note(geometry, search.advantage, search.standard_error, search.p_value))
    return rows, notes


def _with_label_effects(rows: list[Row], prepared: Prepared, classes: int, seed: int) -> list[Row]:
    """The rows with the effect of kept transformations on the labels."""
    fine, families = prepared.data.fine(), {family.name: family for family in prepared.families}
    model = label_classifier(fine[prepared.training], prepared.labels_of(prepared.training), classes, seed)
    labels = prepared.labels_of(prepared.test)
    draws = torch.arange(len(labels)) if prepared.blocks is None else prepared.blocks[prepared.test]
    results = []
    for row in rows:
        family, element = families[row.transformation.family], row.transformation.element
        if row.verdict == "kept" and element is not None:
            samples = fine[prepared.test] if family.scales else prepared.data.samples[prepared.test]
            moved = family.act(samples, element)
            row = with_evidence(row, label_effect(model, samples, moved, labels, draws))
        results.append(row)
    return results


def _with_gains(rows: list[Row], kept: list[str], prepared: Prepared, classes: int, seed: int) -> list[Row]:
    """The rows with the gain of a network, for generators of the group of kept transformations that move pixels."""
    gains, training, test = {}, prepared.labelled(prepared.training), prepared.labelled(prepared.test)
    for family in prepared.known:
        members = [transformation for transformation in family.transformations if transformation.name in kept]
        if family.domain == "places" and not family.resampled and members and family.matrices is not None:
            for index in generating(members, [family.matrices[member.element or 0] for member in members]):
                gains[members[index].name] = network_gain(members[index], training, test, classes, seed)
    return [with_evidence(row, gains[row.name]) if row.name in gains else row for row in rows]


def _name(candidate: Candidate) -> str:
    if isinstance(candidate, str):
        return candidate
    return candidate.name if isinstance(candidate, Transformation) else candidate.group.name


def _examples(samples: Tensor, shrunk: bool) -> Tensor:
    """A few samples on the CPU; the user's transformations may need their full size."""
    indices = torch.linspace(0, len(samples) - 1, min(EXAMPLES, len(samples))).long()
    examples = samples[indices].cpu()
    if not shrunk:
        return examples
    small = shrink(examples.float(), EXAMPLE_SIDES[samples.ndim - 2])
    return small.round().to(torch.uint8) if examples.dtype == torch.uint8 else small
