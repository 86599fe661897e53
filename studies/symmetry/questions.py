"""Other questions about images: partial symmetries, the flip of CIFAR-10, two tasks, and the gain of a network."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import torch

import lgn.data
from lgn.answer import LabelMap, ToldApart
from lgn.data.rotated import turn
from lgn.discovery.images import discover_images
from lgn.discovery.images.gain import FEW, NETWORKS, network_gain
from lgn.discovery.observers import MARGIN, decide, observe, shrink
from lgn.discovery.observers.observing import Division
from lgn.stats import LEVEL, student_margin
from lgn.transforms import families_of, find
from studies.images import labelled_images
from studies.runner import Cell, cell, grid
from studies.symmetry.cases import CASES, COUNT, images_of
from studies.symmetry.sets import PARTIAL, SHIFT

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
    for seed, (images, candidates, planted) in product(range(0 if quick else 3), RANGES):
        yield cell(measure_range, {"planted": planted}, images=images, candidates=candidates, seed=seed)


def measure_range(images: str, candidates: str, seed: int, planted: float | None) -> dict[str, Any]:
    samples, _ = images_of(CASES[images], COUNT, seed)
    found = discover_images(samples, kind="images", candidates=(candidates,), seed=seed)
    lines = {}
    for family in dict.fromkeys(row.transformation.family for row in found.rows):
        about = [row.evidence[0] for row in found.rows if row.transformation.family == family]
        width = about[0].detail.spread if isinstance(about[0].detail, ToldApart) else None
        lines[family] = {"told_apart": [one.value for one in about], "within": width and width / 2}
    return {"lines": lines, "planted": planted}


def left_right(quick: bool) -> Iterator[Cell]:
    return grid(measure_left_right, images=["cifar10, left-right flip"], seed=range(0 if quick else 5))


def measure_left_right(images: str, seed: int) -> dict[str, Any]:
    both = lgn.data.load("cifar10", download=False)
    generator = lgn.data.generator_for("symmetry benchmark left-right", seed)
    chosen = torch.randperm(len(both.train), generator=generator)[:LEARNED]
    splits = both.train.samples[chosen], both.test.samples
    training, test = (shrink((split.float() - 120) / 64) for split in splits)
    (family,) = families_of(("flips",), "images", training[:1])
    mirrored = family.restricted((0, family["flip columns"].element or 0))
    found = observe(mirrored, Division(training, test, torch.arange(len(test))), MARGIN, seed)
    accuracy = found.accuracies[0]
    p_value = accuracy.p_value()
    verdict = decide(accuracy, p_value, found.control, MARGIN)
    row: dict[str, Any] = {"name": "flip columns", "family": "turns and flips", "verdict": verdict, "truth": None}
    row |= {"told_apart": accuracy.value, "interval": list(accuracy.interval), "p_value": p_value}
    controls = {"turns and flips": found.control and found.control.value}
    return {"rows": [row], "controls": controls, "trace": verdict == "kept" and p_value <= LEVEL}


def tasks(quick: bool) -> Iterator[Cell]:
    source, seeds, count = ("digits", 1, 6000) if quick else ("mnist", 5, COUNT)
    images = f"{source}, quarter turns"
    return grid(measure_task, {"source": source, "count": count}, images=[images], task=WANTED, seed=range(seeds))


def measure_task(images: str, task: str, seed: int, source: str, count: int) -> dict[str, Any]:
    samples, digits = labelled_images(source)
    generator = lgn.data.generator_for("symmetry benchmark tasks", seed)
    chosen = torch.randperm(len(samples), generator=generator)[:count]
    turns = torch.randint(4, (len(chosen),), generator=generator)
    labels = digits[chosen] if task == "digit" else turns
    found = discover_images(turn(samples[chosen], turns), labels, kind="images", candidates=("turns",), seed=seed)
    rows = []
    for row in found.rows:
        about = row.of("labels")
        effect = about.detail if about is not None and isinstance(about.detail, LabelMap) else None
        rows.append(
            {
                "name": row.name,
                "verdict": row.evidence[0].verdict,
                "told_apart": row.evidence[0].value,
                "labels": effect and effect.effect,
                "accuracy": effect and (effect.accuracy or 0.0),
                "transformed": effect and (effect.transformed or 0.0),
                "permutation": list(row.permutation),
                "wanted": WANTED[task],
            }
        )
    return {"rows": rows}


def gains(quick: bool) -> Iterator[Cell]:
    for seed, (images, candidate, wanted) in product(() if quick else range(20, 25), GAINS):
        yield cell(measure_gain, {"wanted": wanted}, images=images, candidate=candidate, seed=seed)


def measure_gain(images: str, candidate: str, seed: int, wanted: bool) -> dict[str, Any]:
    """The gain in points, judged on images that trained and selected nothing."""
    samples, labels = images_of(CASES[images], FEW + JUDGED, seed)
    x = (samples.float() - samples.float().mean()) / samples.float().std()
    (x, x_judge), (y, y_judge) = x.split([FEW, JUDGED]), labels.split([FEW, JUDGED])
    transformation = find(candidate)
    assert transformation is not None
    gain = network_gain(transformation, (x, y), (x_judge, y_judge), 10, seed)
    assert gain.interval is not None
    error = (gain.interval[1] - gain.value) / student_margin(1.0, 2 * (NETWORKS - 1))
    measured = {"points": gain.value, "error": error, "p_value": gain.p_value}
    return {**measured, "claimed": gain.verdict == "kept", "wanted": wanted}
