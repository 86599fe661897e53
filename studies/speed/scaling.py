"""The cost of orbits and penalty in a training step, by kernel size, order and number of sets."""

import time
from typing import Any

import torch
from torch.nn import functional as F

from lgn.nn import Classifier, UnfoldedEncoder
from lgn.penalties import AuxiliaryInverse

BATCH = 64
USUAL = {"kernel_size": 6, "order": 4, "num_sets": 5}
CHANGES = {"kernel_size": (3, 4, 6, 8, 11, 16), "order": (2, 8), "num_sets": (2, 10)}


def scaling(rounds: int = 15) -> list[dict[str, Any]]:
    """A row for each setting, in milliseconds of one thread."""
    settings = [USUAL | {name: value} for name, values in CHANGES.items() for value in values]
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return [setting | milliseconds(setting, rounds) for setting in settings]
    finally:
        torch.set_num_threads(threads)


def milliseconds(setting: dict[str, int], rounds: int) -> dict[str, float]:
    """The fewest milliseconds of a training step on images of 28x28 pixels, and of orbits and penalty alone."""
    torch.manual_seed(0)
    encoder = UnfoldedEncoder(1, setting["num_sets"], setting["kernel_size"], num_layers=4, group=setting["order"])
    model = Classifier(encoder, 10)
    penalty = AuxiliaryInverse(model, 1e-3)
    optimizer = torch.optim.Adam([*model.parameters(), *penalty.parameters()], fused=True)
    images, labels = torch.randn(BATCH, 1, 28, 28), torch.randint(10, (BATCH,))
    steps, orbits = [], []
    for _ in range(rounds):
        began = time.process_time()
        optimizer.zero_grad()
        (F.cross_entropy(model(images), labels) + penalty()).backward()
        optimizer.step()
        steps.append(time.process_time() - began)
        began = time.process_time()
        (model.encoder.bank().sum() + penalty()).backward()  # type: ignore[operator]
        orbits.append(time.process_time() - began)
    return {"step": round(1e3 * min(steps), 2), "orbits_and_penalty": round(1e3 * min(orbits), 2)}
