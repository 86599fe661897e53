"""Other questions about images: partial symmetries, the flip of CIFAR-10, two tasks, and the gain of a network."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch

import lgn.data
from lgn.answer import Gain, LabelMap, ToldApart
from lgn.data.rotated import turn
from lgn.discovery.images import discover_images
from lgn.discovery.images.gain import FEW, NETWORKS, network_gain
from lgn.discovery.observers import MARGIN, Sides, decide, observe, shrink
from lgn.stats import student_margin
from lgn.transforms import families_of, find
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
    found = discover_images(images, kind="images", candidates=(candidates,), seed=seed)
    lines = {}
    for family in dict.fromkeys(row.transformation.family for row in found.rows):
        about = [row.evidence[0] for row in found.rows if row.transformation.family == family]
        detail = about[0].detail
        width = detail.spread if isinstance(detail, ToldApart) else None
        within = None if width is None else round(width / 2, 2)
        lines[family] = {"told_apart": [round(one.value, 4) for one in about], "within": within}
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
    training, test = (shrink((images.float() - 120) / 64) for images in splits)
    (family,) = families_of(("flips",), "images", training[:1])
    mirrored = family.restricted((0, family["flip columns"].element or 0))
    found = observe(mirrored, Sides(training, test, torch.arange(len(test))), MARGIN, seed)
    reading = found.readings[0]
    decision = decide(reading, reading.p_value(), found.control, MARGIN, len(training) + len(test))
    row = {
        "name": "flip columns",
        "family": "turns and flips",
        "verdict": decision.verdict,
        "truth": None,
        "told_apart": round(reading.share, 4),
        "interval": [round(end, 4) for end in reading.interval],
        "p_value": reading.p_value(),
    }
    control = None if found.control is None else round(found.control.share, 4)
    return {"rows": [row], "controls": {"turns and flips": control}, "trace": decision.trace}


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
    turned = turn(images[chosen], turns)
    found = discover_images(turned, labels, kind="images", candidates=("turns",), seed=seed)
    rows = []
    for row in found.rows:
        about = row.of("labels")
        effect = about.detail if about is not None and isinstance(about.detail, LabelMap) else None
        rows.append(
            {
                "name": row.name,
                "verdict": row.evidence[0].verdict,
                "told_apart": round(row.evidence[0].value, 4),
                "labels": effect and effect.effect,
                "accuracy": effect and round(effect.accuracy or 0.0, 4),
                "transformed": effect and round(effect.transformed or 0.0, 4),
                "permutation": list(row.permutation),
                "wanted": WANTED[task],
            }
        )
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
    transformation = find(candidate)
    assert transformation is not None
    gain = network_gain(transformation, (x, y), (x_judge, y_judge), 10, seed)
    assert isinstance(gain.detail, Gain)
    assert gain.interval is not None
    numbers = {"points": gain.value, "accuracy": gain.detail.accuracy, "free": gain.detail.free}
    measured = {name: round(value, 4) for name, value in numbers.items()}
    error = round((gain.interval[1] - gain.value) / student_margin(1.0, 2 * (NETWORKS - 1)), 4)
    return {**measured, "error": error, "p_value": gain.p_value, "claimed": gain.verdict == "kept", "wanted": wanted}
