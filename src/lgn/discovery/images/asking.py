"""`discover_images`: which transformations preserve samples and their classes, and what does a network gain?"""

import time
from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor
from tqdm import tqdm

from lgn.answer import Answer, DataSummary, Row
from lgn.data import checksum
from lgn.data.kinds import Kind
from lgn.discovery.images.gain import network_gain
from lgn.discovery.images.kept_group import generating, kept_group
from lgn.discovery.images.label_effects import label_classifier, label_effect
from lgn.discovery.images.learned_affine import learn_affine
from lgn.discovery.images.preparing import Prepared, prepare
from lgn.discovery.images.question import Candidate, Of, Question, make_question, require_samples
from lgn.discovery.images.rows import answered, data_rows, with_evidence
from lgn.discovery.images.wording import affine_note, notes_of, sentence
from lgn.discovery.observers import MARGIN, observe, shrink
from lgn.discovery.observers.observing import FamilyEvidence
from lgn.stats import LEVEL
from lgn.transforms import Transformation

#: The number of samples that are stored for pictures, and their longest side by the number of axes.
EXAMPLES, EXAMPLE_SIDES = 6, {1: 512, 2: 48, 3: 32}
#: Samples that show how the user's transformations multiply.
MULTIPLIED = 16
BAR = "{desc}: {percentage:3.0f} %, {remaining} left"


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

    candidates: names of `lgn.transforms.CANDIDATES[kind]`, and transformations and groups of the user.
    evidence: "data", "labels", "network", "affine"; by default data, and labels if there are labels. The network is
    asked about transformations that the samples keep; "affine" is the affine map that a network learns from labels.
    of: the question that the verdicts answer, by default "labels" if they are asked.
    margin: a transformation is kept if the best observer would have an accuracy below 1/2 + margin.
    effort: a factor of the length of the training of observers.
    minutes: a limit of time; notes say what was left out.
    blocks: samples with equal labels stay on one side of the split, and count as one draw.

    Shapes: samples (N, C, H, W), (N, C, T) or (N, C, D, H, W), labels (N,), blocks (N,)
    """
    question = make_question(
        labels,
        kind=kind,
        of=of,
        candidates=candidates,
        evidence=evidence,
        class_names=class_names,
        margin=margin,
        effort=effort,
        minutes=minutes,
        seed=seed,
    )
    require_samples(samples, labels, blocks, question)
    labels, blocks = (None if one is None else one.cpu() for one in (labels, blocks))
    with _Stages(minutes, progress) as stages:
        work = prepare(samples, labels, blocks, question)
        found, rows, learned = _evidence(work, question, stages)
    return _answer(samples, work, question, found, rows, [*learned, *stages.notes])


def _answer(
    samples: Tensor,
    work: Prepared,
    question: Question,
    found: Sequence[FamilyEvidence],
    rows: Sequence[Row],
    further_notes: Sequence[str],
) -> Answer:
    """The answer from rows with evidence: their verdicts on the question, the group, and the text."""
    rows = [answered(row, question.of) for row in rows]
    kept = [row.name for row in rows if row.verdict == "kept"]
    group, elements, name, group_notes = kept_group([one.family for one in found], kept, samples[:MULTIPLIED].float())
    count = len(work.data.samples)
    notes = (*work.notes, *group_notes, *notes_of(rows, found, question.kind, count), *further_notes)
    return Answer(
        question=question.of,
        data=DataSummary(
            kind=question.kind,
            count=count,
            shape=tuple(samples.shape[1:]),
            classes=question.class_names,
            checksum=checksum(samples),
            examples=_examples(samples, smaller=not question.own),
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
            "effort": work.effort,
            "minutes": question.minutes,
            "training_samples": len(work.training),
            "test_samples": len(work.test),
        },
    )


class _Stages:
    """The progress bar, and the limit of time."""

    def __init__(self, minutes: float | None, progress: bool) -> None:
        self.minutes, self.began = minutes, time.monotonic()
        self.bar = tqdm(desc="samples", leave=False, disable=None if progress else True, bar_format=BAR)
        self.late: list[str] = []

    def __enter__(self) -> "_Stages":
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def expect(self, count: int) -> None:
        """Set the number of stages."""
        self.bar.total, self.number = count, 0

    def begin(self, name: str) -> bool:
        """Whether there is time for a stage; the bar shows its name, and that the stages before it are done."""
        self.bar.n, self.number = self.number, self.number + 1
        if self.number > 1 and self.minutes is not None and time.monotonic() - self.began > 60 * self.minutes:
            self.late.append(name)
            return False
        self.bar.set_description_str(name)
        return True

    @property
    def notes(self) -> list[str]:
        """The stages that were left out."""
        return [f"Not asked within {self.minutes:g} minutes: {', '.join(self.late)}."] if self.late else []


def _evidence(work: Prepared, question: Question, stages: _Stages) -> tuple[list[FamilyEvidence], list[Row], list[str]]:
    """The readings of observers, the rows with all evidence, and a note about the affine map that a network learns."""
    found, seed, classes = [], question.seed, len(question.class_names)
    stages.expect(len(work.families) + len(question.evidence) - 1)
    for family in work.families:
        if stages.begin(family.name):
            found.append(observe(family, work.sides(family), question.margin, seed, work.effort))
    test_labels = None if work.labels is None else work.labels[work.test]
    rows = data_rows(
        found, question.margin, len(work.data.samples), work.clusters[work.test], test_labels, question.class_names
    )
    kept = [row.name for row in rows if row.verdict == "kept"]
    if kept and "labels" in question.evidence and stages.begin("labels"):
        rows = _with_labels(rows, work, classes, seed)
    if kept and "network" in question.evidence and stages.begin("network"):
        rows = _with_gains(rows, kept, work, classes, seed)
    learned = []
    if "affine" in question.evidence and stages.begin("affine"):
        learned.append(affine_note(learn_affine(_pair(work, work.training), _pair(work, work.test), classes, seed)))
    return found, rows, learned


def _with_labels(rows: list[Row], work: Prepared, classes: int, seed: int) -> list[Row]:
    """The rows with what kept transformations do to the labels."""
    fine, families = work.data.fine(), {family.name: family for family in work.families}
    model = label_classifier(fine[work.training], work.labels_of(work.training), classes, seed)
    labels, draws = work.labels_of(work.test), None if work.blocks is None else work.blocks[work.test]
    found = []
    for row in rows:
        family, element = families[row.transformation.family], row.transformation.element
        if row.verdict == "kept" and element is not None:
            samples = fine[work.test] if family.scales else work.data.samples[work.test]
            moved = family.act(samples, element)
            row = with_evidence(row, label_effect(model, samples, moved, labels, classes=classes, draws=draws))
        found.append(row)
    return found


def _with_gains(rows: list[Row], kept: list[str], work: Prepared, classes: int, seed: int) -> list[Row]:
    """The rows with the gain of a network, for kept transformations that move pixels and generate the others."""
    gains, training, test = {}, _pair(work, work.training), _pair(work, work.test)
    for family in work.known:
        one_family = [one for one in family.transformations if one.name in kept]
        if family.domain == "places" and not family.resampled and one_family and family.matrices is not None:
            places = generating(one_family, [family.matrices[one.element or 0] for one in one_family])
            for one in (one_family[place] for place in places):
                gains[one.name] = network_gain(one, training, test, classes, seed)
    return [with_evidence(row, gains[row.name]) if row.name in gains else row for row in rows]


def _pair(work: Prepared, indices: Tensor) -> tuple[Tensor, Tensor]:
    """Samples and their labels."""
    return work.data.samples[indices], work.labels_of(indices)


def _name(candidate: Candidate) -> str:
    if isinstance(candidate, str):
        return candidate
    return candidate.name if isinstance(candidate, Transformation) else candidate.group.name


def _examples(samples: Tensor, smaller: bool) -> Tensor:
    """A few samples on the CPU; the user's transformations may need their full size."""
    chosen = torch.linspace(0, len(samples) - 1, min(EXAMPLES, len(samples))).long()
    examples = samples[chosen].cpu()
    if not smaller:
        return examples
    small = shrink(examples.float(), EXAMPLE_SIDES[samples.ndim - 2])
    return small.round().to(torch.uint8) if examples.dtype == torch.uint8 else small
