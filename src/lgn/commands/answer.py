"""The first part of `lgn discover`: what images, labels and a network say, kept in the directory of the run."""

from collections.abc import Callable
from pathlib import Path

import torch

from lgn import data
from lgn.discovery.images import Symmetries, symmetries
from lgn.discovery.images.candidates import usual
from lgn.front.answer import answer_of
from lgn.report import write_answer
from lgn.training import Config, load_set, require_trainable

FILE, PAGE = "symmetries.json", "symmetries.html"


def answer(
    config: Config,
    out: Path,
    candidates: tuple[str, ...],
    evidence: tuple[str, ...] | None,
    minutes: float | None,
    progress: Callable[[str], None],
    window: int | None = None,
) -> Symmetries:
    """Ask, and keep the answer as `symmetries.json`; the same question of the same images is answered from there.

    candidates: empty for turns and flips, and channels where there are three. evidence: None for all that there is,
    after which a network is trained: one that cannot be made is refused before anything is asked. Where none is
    trained, `symmetries.html` shows the answer. window: of WAV files.
    """
    found = load_set(config, window=window)
    images = torch.cat([found.train.samples, found.test.samples])
    labels = None
    if found.train.labels is not None and found.test.labels is not None:
        labels = torch.cat([found.train.labels, found.test.labels])
    three = found.kind == "images" and images.shape[1] == 3
    candidates = candidates or (*usual(images), *(("colour",) if three else ()))
    alone = evidence is not None or found.kind != "images"
    if evidence is None and alone:
        evidence = ("images",) if labels is None else ("images", "labels")
    if evidence is None:
        require_trainable(config, found)
        evidence = ("images",) if labels is None else ("images", "labels", "network")
    path = out / FILE
    if path.is_file():
        stored = Symmetries.load(path)
        asked = (stored.candidates, stored.evidence, stored.seed, stored.checksum)
        same = asked == (candidates, evidence, config.seed, data.checksum(images))
        if same and stored.minutes in (None, minutes):  # what a budget cut short is no answer to who has more time
            if alone:
                write_answer(answer_of(stored, images), found.name, out / PAGE)
            return stored
    result = symmetries(
        images,
        labels,
        candidates,
        config.seed,
        evidence=evidence,
        class_names=found.class_names,
        minutes=minutes,
        progress=progress,
    )
    out.mkdir(parents=True, exist_ok=True)
    result.save(path)
    if alone:
        write_answer(answer_of(result, images), found.name, out / PAGE)
    return result
