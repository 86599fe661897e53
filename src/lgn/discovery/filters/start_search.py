"""A search over starts: one half of held-out images chooses the best, the other half compares it with free filters."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from lgn.stats import compare_runs, halves

LEVEL = 0.015  # the level of the studies of the search
FALSE_CLAIM_RATE = 0.02  # the largest in any simulated cell of `python -m studies.truth`
RETRAININGS = 5
FRESH = 10_000  # the first seed of the retrainings, far from the seeds that users count from 0

# Note [Choosing is not judging]
# The best of many starts is better than free filters on the images that chose it, even without a symmetry, and a lucky
# run stays lucky on other images. Therefore one half of the held-out images chooses. The best start and free
# filters are then trained again with seeds that chose nothing, and the other half judges (Note [Two variances]).


class Search(NamedTuple):
    """All starts, the best of them, and its comparison with free filters. See Note [Choosing is not judging]."""

    #: The accuracy of every start on the half of the images that chooses, and the name of the best start.
    trials: dict[str, float]
    best: str
    #: The best start as it was chosen, and its retrainings.
    model: nn.Module
    retrained_models: tuple[nn.Module, ...]
    #: The accuracy of the retrainings minus that of free filters on the half of the images that judges, with its
    #: standard error, and the one-sided p-value of Student's t.
    advantage: float
    standard_error: float
    p_value: float

    @property
    def claimed(self) -> bool:
        """Whether the best start is better than free filters."""
        return self.p_value <= LEVEL


def search_starts(
    starts: dict[str, Callable[[int], nn.Module]],
    free: Callable[[int], nn.Module],
    train: Callable[[nn.Module, int], None],
    correct: Callable[[nn.Module], Tensor],
    *,
    seed: int = 0,
) -> Search:
    """Train every start, choose the best on one half of the held-out images, and judge it on the other half.

    `starts` and `free` make models from a seed that differ only in their filters; `train(model, seed)` trains a model
    in place; `correct(model)` is whether the model classifies each held-out image correctly, (N,). All starts are
    trained with `seed`, then the best start and free filters with RETRAININGS fresh seeds.
    """
    if not starts:
        raise ValueError("starts must have at least one start, got none")

    def trained(make: Callable[[int], nn.Module], with_seed: int) -> nn.Module:
        model = make(with_seed)
        train(model, with_seed)
        return model

    def scores_of(models: Iterable[nn.Module]) -> Tensor:
        return torch.stack([correct(model).double().cpu() for model in models])

    models = {name: trained(make, seed) for name, make in starts.items()}
    scores = scores_of(models.values())  # (starts, images)
    choosing, judging = halves(scores.shape[1], torch.Generator().manual_seed(seed))
    trials = dict(zip(models, scores[:, choosing].mean(1).tolist(), strict=True))
    best = max(trials, key=trials.__getitem__)
    seeds = [FRESH + RETRAININGS * seed + number for number in range(RETRAININGS)]
    retrained = tuple(trained(starts[best], fresh) for fresh in seeds)
    controls = [trained(free, fresh) for fresh in seeds]
    ours, control = (scores_of(kind)[:, judging] for kind in (retrained, controls))
    return Search(trials, best, models[best], retrained, *map(float, compare_runs(ours, control)))
