"""Short trainings of small networks, which evidence from a network is made of: one loop for all of them."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.discovery.filters.learned import REBASE
from lgn.generators import generators_of, parameter_groups, rebase
from lgn.penalties import Penalty

BATCH, RATE = 100, 1e-2


def fit(
    model: nn.Module,
    x: Tensor,
    y: Tensor,
    epochs: int,
    seed: int,
    penalty: Penalty | None = None,
    generator_factor: float | None = None,
) -> None:
    """Adam with a rate that rises and falls once; generators learn at `generator_factor` times it, or as is their own.

    With a penalty generators may travel far, so the origin of their coordinates is moved along.
    """
    usual = max((generator.learning_rate for generator in generators_of(model).values()), default=1.0)
    groups = parameter_groups(model, RATE, usual if generator_factor is None else generator_factor)
    if penalty is not None and any(True for _ in penalty.parameters()):
        groups.append({"params": list(penalty.parameters()), "lr": RATE})
    optimizer = torch.optim.Adam(groups)
    steps = epochs * math.ceil(len(x) / BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [g["lr"] for g in groups], total_steps=steps)
    random = torch.Generator().manual_seed(seed)
    model.train()
    for _ in range(epochs):
        for batch in torch.randperm(len(x), generator=random).split(BATCH):
            loss = F.cross_entropy(model(x[batch]), y[batch])
            optimizer.zero_grad()
            (loss if penalty is None else loss + penalty()).backward()
            optimizer.step()
            schedule.step()
            if penalty is not None and schedule.last_epoch % REBASE == 0:
                rebase(model)


@torch.no_grad()
def correct(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Whether each image is classified rightly.  -> bool (N,)"""
    model.eval()
    return torch.cat([model(batch).argmax(1) for batch in x.split(500)]) == y


@contextmanager
def torch_seed(seed: int) -> Iterator[None]:
    """Weights by a seed; torch's own random numbers are left as they were."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield
