"""The sentence and the notes of an answer: one phrase per row, joined."""

from collections.abc import Sequence

from lgn.answer import Row, ToldApart
from lgn.discovery.images.question import Question
from lgn.discovery.images.ranges import range_note
from lgn.discovery.observers.observing import FamilyEvidence
from lgn.generators.affine import Geometry

#: The most transformations that a sentence lists: a cube has 47.
LISTED = 8


def sentence(rows: Sequence[Row], found: Sequence[FamilyEvidence], question: Question, name: str, count: int) -> str:
    """The sentence: kept, broken and undecided transformations, and the gain of a network."""
    lines = [evidence.family.name for evidence in found if evidence.family.range]
    finite = [row for row in rows if row.transformation.family not in lines]
    kept, undecided = ([row for row in finite if row.verdict == verdict] for verdict in ("kept", "undecided"))
    data = {row.name: evidence.verdict for row in finite if (evidence := row.of("data")) is not None}
    class_breaking = [row for row in finite if row.verdict == "broken" and data[row.name] == "kept"]
    broken = _phrases([row for row in finite if row.verdict == "broken" and data[row.name] != "kept"])
    undecided_lines: list[str] = []
    for line in lines:
        verdicts = [row.verdict for row in rows if row.transformation.family == line]
        (broken if "broken" in verdicts else undecided_lines).append(line)
    kind, parts = question.kind, []
    group = f" ({name})" if name and kept else ""
    unchanged, permuting = ([row for row in kept if bool(row.permutation) == permutes] for permutes in (False, True))
    if unchanged:
        subject = f"the {kind} and their classes" if question.of == "labels" else f"the {kind}"
        parts.append(_symmetries(unchanged, f" of {subject}{'' if permuting else group}."))
    if permuting:
        verb = "permutes" if len(permuting) == 1 else "permute"
        parts.append(_symmetries(permuting, f" of the {kind} that {verb} their classes{group}."))
    if class_breaking:
        parts.append(_symmetries(class_breaking, f" of the {kind}, but not of their classes."))
    if broken:
        listed = "all transformations that were tried" if len(broken) == len(rows) > LISTED else joined(broken)
        parts.append(f"The {kind} change under {listed}.")
    if undecided or undecided_lines:
        parts.append(
            f"Undecided with {count:,} {kind}: {joined(_phrases(undecided) + undecided_lines)}{_needed(undecided)}."
        )
    return " ".join([*parts, *_gains(rows)])


def notes_of(rows: Sequence[Row], found: Sequence[FamilyEvidence], kind: str, count: int) -> list[str]:
    """Notes about planted breaks, ranges of partial symmetries, and verdicts that are close."""
    notes = []
    for family_evidence in found:
        if (control := family_evidence.control) is not None:
            seen = control.interval[0] > 0.5
            effect = f"told apart at {control.value:.3f}" if seen else f"not noticed with {count:,} {kind}"
            notes.append(f"{family_evidence.family.name}: a planted break of the size of the margin is {effect}.")
        if (note := range_note(family_evidence, kind)) is not None:
            notes.append(note)
    for row in rows:
        evidence = row.of("data")
        detail = None if evidence is None else evidence.detail
        if evidence is None or not isinstance(detail, ToldApart):
            continue
        if detail.trace:
            notes.append(f"{row.name}: kept, but told apart more often than chance.")
        if evidence.verdict == "broken" and detail.control is not None and evidence.value < detail.control:
            notes.append(f"{row.name}: broken, but told apart less often than the planted break.")
    return notes


def affine_note(geometry: Geometry, advantage: float, error: float, p_value: float) -> str:
    """A sentence about the affine map that a network has learned, and its advantage with its standard error."""
    degrees, scale, shear, stretch = map(float, geometry[:4])
    parts = [f"a {'reflection and a ' if stretch < 0 else ''}turn by {degrees:.0f} degrees"]
    parts += [f"a scaling by {scale:.2f}"] if abs(scale - 1) > 0.1 else []
    parts += [f"a shear of {shear:.2f}"] if abs(shear) > 0.1 else []
    parts += [f"a stretch by {abs(stretch):.2f}"] if abs(abs(stretch) - 1) > 0.1 else []
    gain = f"{100 * advantage:+.1f} +- {100 * error:.1f} points over free filters (p = {p_value:.2g})"
    return f"From the labels, a network learned {joined(parts)}: {gain}."


def joined(phrases: Sequence[str]) -> str:
    """The phrases as "a, b and c"; only their number if there are more than LISTED."""
    if len(phrases) > LISTED:
        return f"{len(phrases)} transformations"
    return " and ".join([", ".join(phrases[:-1]), phrases[-1]] if len(phrases) > 1 else phrases)


def _symmetries(rows: Sequence[Row], rest: str) -> str:
    subject, verb = joined(_phrases(rows)), "is a symmetry" if len(rows) == 1 else "are symmetries"
    return f"{subject[0].upper()}{subject[1:]} {verb}{rest}"


def _phrases(rows: Sequence[Row]) -> list[str]:
    return [row.transformation.spoken for row in rows]


def _needed(rows: Sequence[Row]) -> str:
    ranges = [row.needed for row in rows if row.needed is not None]
    if not ranges:
        return ""
    low, high = (max(ends) for ends in zip(*ranges, strict=True))
    return f"; about {low:,} to {high:,} would decide"


def _gains(rows: Sequence[Row]) -> list[str]:
    asked = [(row, evidence) for row in rows if (evidence := row.of("network")) is not None]
    gaining = [row for row, evidence in asked if evidence.verdict == "kept"]
    if gaining:
        return [f"A network gains from {joined(_phrases(gaining))}."]
    return ["No gain of a network was shown."] if asked else []
