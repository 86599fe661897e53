"""The answer of `lgn discover`, kept in a directory."""

from pathlib import Path

import torch

from lgn import data
from lgn.answer import Answer
from lgn.discovery.images import discover_images
from lgn.transforms import DEFAULTS

FILE, PAGE = "answer.json", "answer.html"


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
    progress: bool,
) -> Answer:
    """Answer, and write `answer.json` and `answer.html`. The same question of the same data is read again.

    candidates: empty for the default of the kind of data. evidence: None for data and, if there are any, labels.
    """
    found = data.load(source, data_dir, image_size=image_size, window=window)
    samples = torch.cat([found.train.samples, found.test.samples])
    labels = None
    if found.train.labels is not None and found.test.labels is not None:
        labels = torch.cat([found.train.labels, found.test.labels])
    three = found.kind == "images" and samples.shape[1] == 3
    candidates = candidates or (*DEFAULTS[found.kind], *(("colour",) if three else ()))
    evidence = evidence or (("data",) if labels is None else ("data", "labels"))
    path = out / FILE
    result = Answer.load(path) if path.is_file() else None
    if result is not None:
        asked = (result.settings["candidates"], result.settings["evidence"], result.seed, result.data.checksum)
        # An answer that a limit of time cut short is not kept.
        if asked != (candidates, evidence, seed, data.checksum(samples)) or (
            result.settings["minutes"] not in (None, minutes)
        ):
            result = None
    if result is None:
        result = discover_images(
            samples,
            labels,
            kind=found.kind,
            class_names=found.class_names,
            candidates=candidates,
            evidence=evidence,
            minutes=minutes,
            seed=seed,
            progress=progress,
        )
        out.mkdir(parents=True, exist_ok=True)
        result.save(path)
    result.save(out / PAGE)
    return result
