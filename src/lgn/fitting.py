"""A training loop for small classifiers: observers, classifiers of labels, compared networks."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from lgn.data import generator_for
from lgn.generators import rebase

#: Inputs and their classes.
Labelled = tuple[Tensor, Tensor]

RATE = 1e-2
#: The number of samples in a batch of `epochs_of`.
BATCH = 100
#: The number of steps between two calls of `rebase`, which keeps generators accurate under strong penalties.
REBASE = 20


def fit(
    model: nn.Module,
    batches: Iterable[Labelled],
    steps: int,
    *,
    parameters: Iterable[dict[str, Any]] | None = None,
    weight_decay: float = 0.01,
    penalty: Callable[[], Tensor] | None = None,
) -> nn.Module:
    """Train a classifier in place by cross-entropy with AdamW, and return it in evaluation mode.

    The learning rate rises and falls once over all steps.

    batches: one pair of inputs and classes per step.
    parameters: groups of parameters with their own learning rates; by default all parameters with RATE.
    """
    groups: list[dict[str, Any]] = [{"params": list(model.parameters()), "lr": RATE}]
    groups = groups if parameters is None else list(parameters)
    optimizer = torch.optim.AdamW(groups, weight_decay=weight_decay)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, [group["lr"] for group in groups], total_steps=steps)
    model.train()
    with torch.enable_grad():
        for step, (inputs, classes) in enumerate(batches, 1):
            loss = F.cross_entropy(model(inputs), classes)
            optimizer.zero_grad()
            (loss if penalty is None else loss + penalty()).backward()
            optimizer.step()
            schedule.step()
            if penalty is not None and step % REBASE == 0:
                rebase(model)
    return model.eval()


def epochs_of(x: Tensor, y: Tensor, epochs: int, seed: int) -> Iterator[Labelled]:
    """Batches of all samples, shuffled in every epoch; the last batch of an epoch may be smaller."""
    random = torch.Generator().manual_seed(seed)
    for _ in range(epochs):
        for batch in torch.randperm(len(x), generator=random).split(BATCH):
            yield x[batch], y[batch]


def shuffled_indices(count: int, steps: int, size: int, random: Generator) -> Iterable[Tensor]:
    """The indices of batches of equal size; every sample is drawn once before any sample is drawn again."""
    rounds = -(-steps * size // count)
    order = torch.cat([torch.randperm(count, generator=random) for _ in range(rounds)])
    return order[: steps * size].split(size)


@torch.no_grad()
def is_correct(model: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Whether the samples are classified correctly.  -> (N,), bool"""
    model.eval()
    return torch.cat([model(batch).argmax(1) for batch in x.split(500)]) == y


@contextmanager
def initial_seed(seed: int) -> Iterator[None]:
    """Initialise the models made inside with this seed, and restore the global random state afterwards."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)  # torch.manual_seed would seed other devices too
        yield


@contextmanager
def seeded(purpose: str, seed: int) -> Iterator[Generator]:
    """The same with a seed per purpose; yields a generator for all other random numbers."""
    random = generator_for(purpose, seed)
    with initial_seed(int(torch.randint(2**31, (1,), generator=random))):
        yield random
