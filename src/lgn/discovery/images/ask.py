"""`lgn.symmetries`: which transformations do these images keep, which do their labels, and what does a network gain?"""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import torch
from torch import Tensor

from lgn.data import checksum, generator_for
from lgn.data.kinds import GRID_KINDS
from lgn.discovery.images.affine import ask_affine
from lgn.discovery.images.asked import require_different, require_question
from lgn.discovery.images.budget import given_up, planned
from lgn.discovery.images.candidates import Own, families_of, usual
from lgn.discovery.images.division import HELD_OUT, divide, near_duplicates
from lgn.discovery.images.family import Family
from lgn.discovery.images.gain import ask_network
from lgn.discovery.images.images_evidence import FamilyEvidence, Parts, observe
from lgn.discovery.images.judged import facts_of, rows_of
from lgn.discovery.images.labels import ask_labels, classifier
from lgn.discovery.images.observer import smaller
from lgn.discovery.images.result import Symmetries, patch_matrix
from lgn.discovery.images.unknown import UNKNOWN, proposed
from lgn.discovery.images.verdict import MARGIN

#: More images than these are not needed: so many are drawn.
MOST = 20_000
#: The longest side that families which move values between pixels work with, by the number of axes.
FINE = {1: 1024, 2: 32, 3: 16}


def symmetries(
    images: Tensor,
    labels: Tensor | None = None,
    candidates: Sequence[str | Own] | None = None,
    seed: int = 0,
    *,
    evidence: Sequence[str] | None = None,
    margin: float = MARGIN,
    class_names: Sequence[str] = (),
    effort: float = 1.0,
    minutes: float | None = None,
    progress: Callable[[str], None] | None = None,
) -> Symmetries:
    """Ask images, their labels and a network which candidates are symmetries.

    images: uint8 or floats (N, C, H, W), or signals (N, C, T), or volumes (N, C, D, H, W); labels: integers (N,), or
    None.
    candidates: names of `NAMES`, and one's own as `(name, function or matrix)`; by default turns and
    flips, of signals reversal, sign and shift (on a ring), of volumes turns and mirrors: all 48 symmetries of a cube.
    Signals may also be asked about shifts (along a line), stretches, gain and channels. "unknown" judges what
    `discover_moments` proposes for images, which takes a minute or so.
    evidence: of "images", "labels", "network", "affine"; by default images, and labels where there are any. The images
    are asked always; labels and a network about what the images keep; "affine" asks which affine map a network learns
    from labels by itself, of no list.
    margin: what the best observer may tell apart beyond one half for a candidate to be kept all the same.
    effort: how long observers are trained, 1 being what the benchmark was measured with.
    minutes: a budget. Where all would take longer, fewer images are looked at and observers trained for less long; once
    it is over nothing new is begun. `notes` say what was given up.
    progress: is told what begins.
    """
    began = time.monotonic()
    say = progress or (lambda _: None)
    say("images")
    asked = require_question(images, labels, evidence, margin, effort)
    if isinstance(candidates, str):
        candidates = tuple(candidates.split(","))
    candidates = usual(images) if candidates is None else candidates
    names = tuple(class_names) or _class_names(labels)
    pixels, labels, notes = _some(images, labels, seed)
    small, origin = _around_zero(pixels, 8 * FINE[images.ndim - 2])
    families = families_of(candidates, small[: min(len(small), 64)] if len(small) else small, origin)
    if minutes is not None and families:
        some = [(family, _view(family, small[:128])) for family in families]
        count, less = planned(minutes, some, len(small), effort, asked)
        notes += given_up(minutes, (len(small), effort), (count, less))
        small, labels, _ = _some(small, labels, seed, count)
        effort = less
    clusters = near_duplicates(small)
    require_different(small, clusters)
    if (copies := len(clusters) - len(clusters.unique())) > 0:
        noun, many = GRID_KINDS[images.ndim].removesuffix("s"), copies > 1
        words = ("near-duplicates are", "they copy") if many else ("near-duplicate is", "it copies")
        notes += [f"{copies:,} {words[0]} counted with the {noun} that {words[1]}."]
    learns, judges = divide(small, clusters, HELD_OUT, seed)
    if UNKNOWN in candidates:
        say(UNKNOWN)
        more, said = proposed(small[learns], seed)
        families, notes = (*families, *more), notes + said
    found: list[FamilyEvidence] = []
    too_late: list[str] = []

    def may_begin(what: str) -> bool:
        if minutes is not None and time.monotonic() - began > 60 * minutes:
            too_late.append(what)
            return False
        say(what)
        return True

    for number, family in enumerate(families):
        if number and not may_begin(family.name):
            continue
        view = _view(family, small)
        parts = Parts(view[learns], view[judges], clusters[judges])
        found.append(observe(family, parts, margin, seed, effort))
    rows = rows_of(found, margin, len(small), clusters[judges], None if labels is None else labels[judges], names)
    answer = Symmetries(
        rows,
        tuple(facts_of(each) for each in found),
        len(images),
        len(learns),
        len(judges),
        tuple(images.shape[1:]),
        names,
        margin,
        seed,
        tuple(each if isinstance(each, str) else each[0] for each in candidates),
        asked,
        checksum(images),
        effort,
        tuple(notes),
        minutes,
    )
    answer = _with_closure_note(answer)
    if labels is not None and answer.kept:
        if "labels" in asked and may_begin("labels"):
            answer = _with_labels(answer, families, small, labels, learns, judges)
        if "network" in asked and answer.generators_kept and may_begin("a network"):
            answer = _with_gain(answer, small, labels, learns, judges)
    if "affine" in asked and labels is not None and may_begin("affine"):
        learned = ask_affine((small[learns], labels[learns]), (small[judges], labels[judges]), len(names), seed)
        answer = replace(answer, learned=learned)
    if too_late:
        note = f"Not asked, for {minutes:g} minutes were over: {', '.join(too_late)}."
        answer = replace(answer, notes=(*answer.notes, note))
    return answer


def _with_closure_note(answer: Symmetries) -> Symmetries:
    notes = list(answer.notes)
    for facts in answer.families:
        kept = {row.element for row in answer.rows if row.family == facts.name and row.images == "kept"}
        if facts.group is not None and kept - set(answer.kept_elements(facts.name)):
            names = ", ".join(row.name for row in answer.rows if row.family == facts.name and row.images == "kept")
            notes.append(
                f"What is kept of {facts.name} ({names}) is not closed: the group is the largest part that is."
            )
    return replace(answer, notes=tuple(notes))


def _with_labels(
    answer: Symmetries, families: tuple[Family, ...], small: Tensor, labels: Tensor, learns: Tensor, judges: Tensor
) -> Symmetries:
    images = smaller(small, FINE[small.ndim - 2])
    parts = Parts(images[learns], images[judges], judges)
    model = classifier(parts, labels[learns], len(answer.class_names), answer.seed)
    by_name = {family.name: family for family in families}
    rows = []
    for row in answer.rows:
        family = by_name[row.family]
        if row.images == "kept" and row.element is not None and family.view is None:
            view = parts.judges if family.scales else small[judges]
            about = ask_labels(model, family, family.candidate(row.name), view, labels[judges])
            row = replace(row, label_evidence=about)
        rows.append(row)
    return replace(answer, rows=tuple(rows))


def _with_gain(answer: Symmetries, small: Tensor, labels: Tensor, learns: Tensor, judges: Tensor) -> Symmetries:
    """Asked of the turns and flips that generate the group."""
    rows = {row.name: row for row in answer.rows}
    for name in answer.generators_kept:
        gain = ask_network(
            lambda patch, name=name: patch_matrix(name, patch),  # type: ignore[misc]
            4 if name in ("turn 90", "turn 270") else 2,
            (small[learns], labels[learns]),
            (small[judges], labels[judges]),
            len(answer.class_names),
            answer.seed,
        )
        rows[name] = replace(rows[name], gain=gain)
    return replace(answer, rows=tuple(rows.values()))


def _view(family: Family, images: Tensor) -> Tensor:
    """As large as a family needs them."""
    if family.view is not None:
        return family.view(images)
    return smaller(images) if family.scales else smaller(images, FINE[images.ndim - 2])


def _some(
    images: Tensor, labels: Tensor | None, seed: int, most: int = MOST
) -> tuple[Tensor, Tensor | None, list[str]]:
    if len(images) <= most:
        return images, labels, []
    chosen = torch.randperm(len(images), generator=generator_for("symmetry some", seed))[:most].sort().values
    note = f"{most:,} of {len(images):,} {GRID_KINDS[images.ndim]} were drawn and looked at."
    return images[chosen], None if labels is None else labels[chosen], [note]


def _around_zero(images: Tensor, side: int) -> tuple[Tensor, float]:
    """Floats with mean 0 and a spread of 1 over the set, no side longer than `side`; and where their zero is now."""
    pixels = torch.cat([smaller(some.float(), side) for some in images.split(1000)])
    mean, spread = pixels.mean(), pixels.std()
    spread = spread.clamp(min=1e-6)
    return (pixels - mean) / spread, float(-mean / spread)


def _class_names(labels: Tensor | None) -> tuple[str, ...]:
    return () if labels is None else tuple(str(label) for label in range(int(labels.max()) + 1))
