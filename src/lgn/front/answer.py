"""The answer of `lgn discover` as its page shows it: what `symmetries.json` says, and images to see it by."""

import torch
from torch import Tensor

from lgn.discovery.images import Symmetries
from lgn.discovery.images.answer_table import cells, control_lines, header
from lgn.discovery.images.candidates import families_of
from lgn.report.answer_page import Answer, Sample

#: Images that are shown under every candidate, and their longest side.
SHOWN, SIDE = 6, 48
#: Candidates that are shown: a cube has 47.
MOST = 16


def answer_of(about: Symmetries, images: Tensor | None) -> Answer:
    """What was said of images, signals or volumes, and some of them, where they are here."""
    originals, samples = (None, ()) if images is None else _samples(images, about)
    head, *lines = cells(about)
    return Answer(
        sentence=about.sentence,
        about=" ".join([_about(about), *control_lines(about)]),
        head=head,
        rows=tuple(lines),
        notes=about.notes,
        originals=originals,
        samples=samples,
        profiles=_profiles(about),
    )


def _about(about: Symmetries) -> str:
    said = header(about)
    return (
        f"{said[0].upper()}{said[1:]}, {about.learned_from:,} learned from and {about.judged_with:,} that judge. "
        "Told apart: 0.5 is chance."
    )


def _samples(images: Tensor, about: Symmetries) -> tuple[Tensor, tuple[Sample, ...]]:
    """Some images, and each candidate's version of them; of signals and volumes the first channel."""
    spread = torch.linspace(0, len(images) - 1, min(SHOWN, len(images))).long()
    some = images[spread].float()
    if images.ndim == 4:
        some = some / 255
        factor = -(-max(some.shape[-2:]) // SIDE)
        some = torch.nn.functional.avg_pool2d(some, factor) if factor > 1 else some
    by_name = {family.name: family for family in families_of(about.candidates, some)}
    rows = [row for row in about.rows if row.element is not None and row.family in by_name]
    rows.sort(key=lambda row: -row.told_apart)
    if len(rows) > MOST:  # what is kept is what one wants to see
        rows = sorted(rows, key=lambda row: row.images == "broken")[:MOST]
    samples = [
        Sample(row.name, row.told_apart, _seen(by_name[row.family].act(some, row.element)))
        for row in rows
        if row.element is not None
    ]
    return _seen(some), tuple(samples)


def _seen(some: Tensor) -> Tensor:
    """Three channels are colours; other images are seen grey."""
    if some.ndim != 4:
        return some[:, 0]
    return (some.movedim(1, -1) if some.shape[1] == 3 else some.mean(1)).clamp(0, 1)


def _profiles(about: Symmetries) -> tuple[tuple[str, tuple[float, ...], tuple[float, ...]], ...]:
    found = []
    for facts in about.families:
        rows = [row for row in about.rows if row.family == facts.name and row.parameter is not None]
        if rows:
            at = tuple(row.parameter for row in rows if row.parameter is not None)
            found.append((facts.name, at, tuple(row.told_apart for row in rows)))
    return tuple(found)
