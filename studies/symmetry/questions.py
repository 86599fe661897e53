"""Other questions about images: partial symmetries, the flip of CIFAR-10, two tasks, and the gain of a network."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch

import lgn.data
from lgn.data.rotated import turn
from lgn.discovery.images import symmetries
from lgn.discovery.images.exact import turns_and_flips
from lgn.discovery.images.gain import FEW, ask_network
from lgn.discovery.images.images_evidence import Parts, observe
from lgn.discovery.images.observer import smaller
from lgn.discovery.images.result import patch_matrix
from lgn.discovery.images.verdict import MARGIN, judge
from studies.runner import Cell
from studies.symmetry.sets import CASES, PARTIAL, SHIFT, images_of, source_images
from studies.symmetry.verdicts import COUNT

#: Image sets, candidates, and the planted range in either direction: None without a range that ends.
RANGES = (
    ("mnist, angles within 45 degrees", "tilts", PARTIAL),
    ("mnist, uniform angles", "tilts", None),
    ("mnist, upright", "tilts", None),
    ("mnist, shifts", "shifts", SHIFT + 0.5),  # nine whole pixels, each one wide
    ("mnist, upright", "shifts", None),
)
#: Image sets, candidates, and whether a network should gain.
GAINS = (
    ("mnist, quarter turns", "turn 90", True),
    ("mnist, flips", "flip columns", True),
    ("mnist, upright", "turn 90", False),
    ("mnist, upright", "flip columns", False),
)
LEARNED, JUDGED = 20_000, 6000  # images for the observer of the flip, and to judge a gain
WANTED = {"digit": "survive", "turn": "permuted"}


def partial_symmetries(quick: bool) -> Iterator[Cell]:
    """Ranges of turns and shifts; not in a quick run."""
    for seed in range(0 if quick else 3):
        for name, candidates, planted in RANGES:
            key = {"images": name, "candidates": candidates, "seed": seed}
            yield Cell(key, partial(measure_range, name, candidates, planted, seed))


def measure_range(name: str, candidates: str, planted: float | None, seed: int) -> dict[str, Any]:
    """The range that was found along each line, and how well each distance was told apart."""
    images, _ = images_of(CASES[name], COUNT, seed)
    found = symmetries(images, candidates=(candidates,), seed=seed)
    lines = {}
    for family in (each.name for each in found.families):
        told = [round(row.told_apart, 4) for row in found.rows if row.family == family]
        within = found.ranges.get(family)
        lines[family] = {"told_apart": told, "within": None if within is None else round(within, 2)}
    return {"lines": lines, "planted": planted}


def left_right(quick: bool) -> Iterator[Cell]:
    """The left-right flip of CIFAR-10; not in a quick run, which has no CIFAR-10."""
    for seed in range(0 if quick else 5):
        yield Cell({"images": "cifar10, left-right flip", "seed": seed}, partial(measure_left_right, seed))


def measure_left_right(seed: int) -> dict[str, Any]:
    """An observer of images and mirror images learns from training images, and judges all test images."""
    both = lgn.data.load("cifar10", download=False)
    generator = lgn.data.generator_for("symmetry benchmark left-right", seed)
    chosen = torch.randperm(len(both.train), generator=generator)[:LEARNED]
    splits = both.train.samples[chosen], both.test.samples
    learns, judges = (smaller((images.float() - 120) / 64) for images in splits)
    family = turns_and_flips(("flips",), *learns.shape[-2:])
    mirrored = family.restricted((0, family.candidate("flip columns").element or 0))
    found = observe(mirrored, Parts(learns, judges, torch.arange(len(judges))), MARGIN, seed)
    reading = found.readings[0]
    verdict = judge(reading, reading.p_value(), found.control, MARGIN, len(learns) + len(judges))
    row = {
        "name": "flip columns",
        "family": "turns and flips",
        "verdict": verdict.word,
        "truth": None,
        "told_apart": round(reading.share, 4),
        "interval": [round(end, 4) for end in reading.interval],
        "p_value": reading.p_value(),
    }
    control = None if found.control is None else round(found.control.share, 4)
    return {"rows": [row], "controls": {"turns and flips": control}, "trace": verdict.trace}


def tasks(quick: bool) -> Iterator[Cell]:
    """The same turned digits, labelled by digit and by turn."""
    source, seeds, count = ("digits", 1, 6000) if quick else ("mnist", 5, COUNT)
    for seed in range(seeds):
        for task in WANTED:
            key = {"images": f"{source}, quarter turns", "task": task, "seed": seed}
            yield Cell(key, partial(measure_task, source, task, count, seed))


def measure_task(source: str, task: str, count: int, seed: int) -> dict[str, Any]:
    """What quarter turns do to the labels."""
    images, digits = source_images(source)
    generator = lgn.data.generator_for("symmetry benchmark tasks", seed)
    chosen = torch.randperm(len(images), generator=generator)[:count]
    turns = torch.randint(4, (len(chosen),), generator=generator)
    labels = digits[chosen] if task == "digit" else turns
    found = symmetries(turn(images[chosen], turns), labels, candidates=("turns",), seed=seed)
    rows = [
        {
            "name": row.name,
            "verdict": row.images,
            "told_apart": round(row.told_apart, 4),
            "labels": row.labels,
            "accuracy": None if row.label_evidence is None else round(row.label_evidence.accuracy, 4),
            "transformed": None if row.label_evidence is None else round(row.label_evidence.transformed, 4),
            "permutation": [] if row.label_evidence is None else list(row.label_evidence.permutation),
            "wanted": WANTED[task],
        }
        for row in found.rows
    ]
    return {"rows": rows, "sentence": found.sentence}


def gains(quick: bool) -> Iterator[Cell]:
    """The gain of a network, ten trainings for each cell; not in a quick run."""
    for seed in () if quick else range(20, 25):
        for name, candidate, wanted in GAINS:
            key = {"images": name, "candidate": candidate, "seed": seed}
            yield Cell(key, partial(measure_gain, name, candidate, wanted, seed))


def measure_gain(name: str, candidate: str, wanted: bool, seed: int) -> dict[str, Any]:
    """The gain in points, judged on images that trained and selected nothing."""
    images, labels = images_of(CASES[name], FEW + JUDGED, seed)
    x = (images.float() - images.float().mean()) / images.float().std()
    (x, x_judge), (y, y_judge) = x.split([FEW, JUDGED]), labels.split([FEW, JUDGED])
    order = 4 if candidate == "turn 90" else 2
    gain = ask_network(partial(patch_matrix, candidate), order, (x, y), (x_judge, y_judge), 10, seed)
    numbers = {"points": gain.points, "error": gain.error, "accuracy": gain.accuracy, "free": gain.free}
    measured = {name: round(value, 4) for name, value in numbers.items()}
    return {**measured, "p_value": gain.p_value, "claimed": gain.claimed, "wanted": wanted}
