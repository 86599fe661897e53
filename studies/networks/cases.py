"""Networks of equal size with different symmetries: the trainings, and their measurements."""

import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

from lgn.answer import Answer
from lgn.data import Split
from lgn.deploy.network_settings import with_answer, with_free_filters, with_group
from lgn.front import discover
from lgn.generators import generators_of
from lgn.nn import GroupNet, equivariance_table
from lgn.nn.image_action import image_action
from lgn.training import Config, Run, preset, train
from lgn.training.config import differences
from lgn.training.loading import load_images
from studies.runner import Cell

#: The group that was planted in each set; in upright digits there is none, and the group does harm.
GIVEN = {
    "rotated-mnist": "C8",
    "rotated-mnist-90": "C4",
    "rotated-mnist-45": "C8",
    "flipped-cifar10": "D1",
    "mnist": "C8",
    "digits": "C4",
}
#: All images that a set has to train with.
WHOLE = {"rotated-mnist": 12_000, "rotated-mnist-90": 12_000, "rotated-mnist-45": 12_000, "digits": 5000}
FULL, SHORT, VISITS = 24, 16, 60_000  # epochs, and visits of images where these are few
SIDE, PARAMETERS = 14, 12_000  # of small networks
CANDIDATES = ("turns", "flips", "angles", "tilts")
RUNS = Path("runs") / "networks"
JUDGED = 500  # test images that are turned for the error of equivariance
STEPS, BATCH = 7, 64
SLOW = 0.1  # the learning rate of generators that start at the known action, relative to that of the network


@dataclass(frozen=True)
class Case:
    """One training. Its fields but the epochs are the key of its cell."""

    data: str
    method: str  # of `tables.METHODS`
    images: int
    seed: int
    augmented: bool = False
    epochs: int = SHORT
    small: bool = False

    @property
    def key(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "epochs"}

    @property
    def directory(self) -> Path:
        turned = "-augmented" if self.augmented else ""
        small = "-small" if self.small else ""
        return RUNS / f"{self.data}-{self.images}-{self.method}-{self.seed}-{self.epochs}{turned}{small}"

    def base(self) -> Config:
        """The settings that all methods share; each seed has images of its own."""
        count = None if WHOLE.get(self.data) == self.images else self.images
        return preset(
            "net",
            "classify",
            data=self.data,
            train_images=count,
            seed=self.seed,
            data_seed=self.seed,
            epochs=self.epochs,
            augment="turns" if self.augmented else "none",
            **({"parameters": PARAMETERS, "image_size": SIDE} if self.small else {}),
            device="cpu",
        )

    def config(self) -> Config:
        base = self.base()
        if self.method == "free":
            return with_free_filters(base)
        if self.method == "gated":
            return with_group(base, GIVEN[self.data], gates=True)
        given = with_group(base, GIVEN[self.data])
        if self.method == "trained":
            family = "cyclic" if len(given.network.finite_group.generators) == 1 else "representation"
            network = replace(given.network, generator=family, share="network", start="group")
            return replace(given, network=network, generator_rate=SLOW)
        if self.method == "paper":
            return replace(given, network=replace(given.network, generator="dense"), penalty="inverse")
        return given


# Data, images, methods, seeds, and further fields of the cases.
Block = tuple[str, int, tuple[str, ...], range, dict[str, Any]]
ALL = ("free", "given", "found")
FEW = [(images, {"epochs": VISITS // images}) for images in (300, 1000)]
OTHERS = (("flipped-cifar10", 5000), ("rotated-mnist-90", 12_000))
PART: dict[str, Any] = {"epochs": 8, "small": True}
PARTS: dict[str, list[Block]] = {
    "full": [
        ("rotated-mnist", 12_000, ("given", "free"), range(3), {"epochs": FULL}),
        ("rotated-mnist", 12_000, ("given",), range(3, 5), {"epochs": FULL}),
    ],
    "found": [("rotated-mnist", 12_000, ("found",), range(5), {"epochs": FULL})],
    "few": [("rotated-mnist", images, ALL, range(3), epochs) for images, epochs in FEW],
    "others": [(data, images, ALL, range(3), {}) for data, images in (*OTHERS, ("mnist", 12_000))],
    "paper": [
        *(("rotated-mnist", images, ("paper",), range(3), epochs) for images, epochs in FEW),
        *((data, images, ("paper",), range(3), {}) for data, images in (*OTHERS, ("rotated-mnist", 12_000))),
    ],
    "augmented": [("rotated-mnist", 12_000, ("free", "given"), range(1), {"augmented": True, "epochs": FULL})],
    "partial": [
        *((data, 4000, ("gated",), range(1, 6), PART) for data in ("rotated-mnist-45", "mnist", "rotated-mnist")),
        ("rotated-mnist-45", 4000, ("given", "free"), range(1, 6), PART),
    ],
    "trained": [
        ("rotated-mnist", images, ("given", "trained"), range(3), {"epochs": epochs, "small": True})
        for images, epochs in ((1000, 30), (12_000, 4))
    ],
}


def cells(part: str, quick: bool) -> Iterator[Cell]:
    """The trainings of a part; a quick run has three of the digits in the package."""
    digits: list[Block] = [("digits", 5000, ALL, range(1), {"epochs": 3})]
    for data, images, methods, seeds, further in (digits if part == "full" else []) if quick else PARTS[part]:
        for seed, method in product(seeds, methods):
            case = Case(data, method, images, seed, **further)
            yield Cell(case.key, partial(measure, case))


def measure(case: Case) -> dict[str, Any]:
    config, directory, facts = _found(case) if case.method == "found" else (case.config(), case.directory, {})
    run = train(config, directory)
    model, network = run.model(), run.config.network
    images = load_images(run.config)
    pixels = images.parts["test"][0][:JUDGED]
    table = equivariance_table(model, images.preprocessing.apply(pixels), group=GIVEN[case.data])
    return {
        "accuracy": run.metrics[-1]["test_accuracy"],
        "epochs": config.epochs,
        "group": "free" if network.generator == "free" else network.finite_group.name,
        "parameters": sum(p.numel() for p in model.parameters()),
        "equivariance_error": table.worst,
        "step_seconds": _step_seconds(run),
        **_learned(run, model),
        **facts,
    }


def _found(case: Case) -> tuple[Config, Path, dict[str, Any]]:
    """The settings that the symmetries of a training's own images lead to, and the directory of their run.

    If the given group or free filters have the same settings, the training is the same bit for bit, and its run is
    used.
    """
    base, path = case.base(), case.directory / "answer.json"
    if path.is_file():
        found = Answer.load(path)
    else:
        images = load_images(base)
        pixels, labels = images.parts["train"]
        assert labels is not None
        found = discover(Split(pixels, labels), candidates=CANDIDATES, seed=case.seed)
        path.parent.mkdir(parents=True, exist_ok=True)
        found.save(path)
    config = with_answer(base, found)
    facts: dict[str, Any] = {"found": found.group and found.group.name, "continuous": found.name in ("SO(2)", "O(2)")}
    for method in ("given", "free"):
        other = replace(case, method=method)
        if not differences(other.config(), config):
            return config, other.directory, {**facts, "same_as": method}
    return config, case.directory, facts


def _learned(run: Run, model: nn.Module) -> dict[str, Any]:
    found: dict[str, Any] = {}
    network = run.config.network
    if isinstance(model, GroupNet) and model.gates is not None:
        found["gates"] = model.gates.values().tolist()
    if network.start == "group":
        start = image_action(network.finite_group, network.kernel_size).matrices
        (generator,) = generators_of(model).values()
        moved = generator.matrix()[:, 0].detach().double() - start
        found["moved"] = float(moved.norm() / start.norm())
    return found


def _step_seconds(run: Run) -> float:
    model = run.model().train()
    torch.manual_seed(0)
    images, labels = torch.rand(BATCH, *run.facts.image_shape), torch.zeros(BATCH, dtype=torch.long)
    spent = []
    for _ in range(STEPS):
        began = time.process_time()
        F.cross_entropy(model(images), labels).backward()
        spent.append(time.process_time() - began)
    return min(spent)
