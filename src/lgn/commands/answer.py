"""The answer of `lgn discover`, kept in a directory."""

from collections.abc import Callable
from pathlib import Path

import torch

from lgn import data
from lgn.discovery.images import Symmetries, symmetries
from lgn.discovery.images.candidates import usual
from lgn.front.answer import answer_of
from lgn.report.answer_page import write_answer

FILE, PAGE = "symmetries.json", "symmetries.html"


def answer(
    source: str,
    out: Path,
    *,
    candidates: tuple[str, ...],
    evidence: tuple[str, ...] | None,
    minutes: float | None,
    window: int | None,
    image_size: int | None,
    data_dir: Path | None,
    seed: int,
    progress: Callable[[str], None],
) -> Symmetries:
    """Answer, and write `symmetries.json` and `symmetries.html`. The same question of the same data is read again.

    candidates: empty for the default of the kind of data. evidence: None for images and, if there are any, labels.
    """
    found = data.load(source, data_dir, image_size=image_size, window=window)
    samples = torch.cat([found.train.samples, found.test.samples])
    labels = None
    if found.train.labels is not None and found.test.labels is not None:
        labels = torch.cat([found.train.labels, found.test.labels])
    three = found.kind == "images" and samples.shape[1] == 3
    candidates = candidates or (*usual(samples), *(("colour",) if three else ()))
    evidence = evidence or (("images",) if labels is None else ("images", "labels"))
    path = out / FILE
    result = Symmetries.load(path) if path.is_file() else None
    wanted = (candidates, evidence, seed, data.checksum(samples))
    if result is not None:
        asked = (result.candidates, result.evidence, result.seed, result.checksum)
        if asked != wanted or result.minutes not in (None, minutes):  # an answer that was cut short is not kept
            result = None
    if result is None:
        result = symmetries(
            samples,
            labels,
            candidates,
            seed,
            evidence=evidence,
            class_names=found.class_names,
            minutes=minutes,
            progress=progress,
        )
        out.mkdir(parents=True, exist_ok=True)
        result.save(path)
    write_answer(answer_of(result, samples), found.name, out / PAGE)
    return result
