"""Many starts: some images choose the best, and others say, with fresh seeds, whether it beats free filters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lgn.stats import compare_runs, halves

LEVEL = 0.015  # a claim needs a p-value of at most this
FALSE_CLAIM_RATE = 0.02  # no more in any simulated cell of `python -m studies.truth`
RETRAININGS = 5
FRESH = 10_000  # where the seeds of retrainings begin: beyond those that are counted up from 0

# Note [Choosing is not judging]
# The best of many starts is better than free filters on the images that chose it, whether it means anything or not, and
# a lucky run stays lucky on other images. So one half of the held-out images chooses; the best start and free filters
# are trained anew with seeds that chose nothing; and the other half judges (Note [Two variances]). Five seeds each:
# with three, and no more false claims, every fifth search misses four points where runs spread by 0.9 points.


@dataclass(frozen=True)
class Trial:
    """A kind of network: its name, and the share of held-out images that it got right."""

    name: str
    validation: float


@dataclass(frozen=True, eq=False)
class Search:
    """All starts, the best of them, and whether it beats free filters when both are trained anew.

    See Note [Choosing is not judging].
    """

    #: All starts, and the best of them, on the half of the images that chooses.
    trials: tuple[Trial, ...]
    best: Trial
    #: The best start as it was chosen, and as it was trained anew.
    model: nn.Module
    retrained_models: tuple[nn.Module, ...]
    #: The best start and free filters, trained anew: the mean of all seeds on the half of the images that judges.
    retrained: Trial
    free: Trial
    #: `retrained` minus `free`, and its standard error: the larger of that over seeds and that over images.
    advantage: float
    standard_error: float
    #: Of Student's t, one-sided; a claim needs 0.015.
    p_value: float

    @property
    def claimed(self) -> bool:
        return self.p_value <= LEVEL

    def __repr__(self) -> str:
        said = "a symmetry is claimed" if self.claimed else "no symmetry is claimed"
        return (
            f"Search(best start {self.best.name}, trained anew at {self.retrained.validation:.3f}, free filters at "
            f"{self.free.validation:.3f}: {self.advantage:+.3f} +- {self.standard_error:.3f}, p = {self.p_value:.2g}, "
            f"{said})"
        )


def search_starts(
    starts: dict[str, Callable[[int], nn.Module]],
    free: Callable[[int], nn.Module],
    train: Callable[[nn.Module, int], None],
    correct: Callable[[nn.Module], Tensor],
    *,
    seed: int = 0,
    retrainings: int = RETRAININGS,
) -> Search:
    """Train each start briefly, choose on one half of the held-out images, and judge on the other with fresh seeds.

    `starts` and `free` make models that differ in their filters alone, for a seed; `train(model, seed)` trains one in
    place; `correct` says of each held-out image whether a model got it right, (N,). All starts are trained with `seed`;
    then the best one and free filters with `retrainings` fresh seeds each. See Note [Choosing is not judging].
    """
    if not starts:
        raise ValueError("starts must hold at least one start, got none")
    if retrainings < 2:
        raise ValueError(f"retrainings must be at least 2, which have a variance, got {retrainings}")

    def trained(make: Callable[[int], nn.Module], with_seed: int) -> nn.Module:
        model = make(with_seed)
        train(model, with_seed)
        return model

    models = {name: trained(make, seed) for name, make in starts.items()}
    right = _scores([correct(model) for model in models.values()])  # (starts, images)
    chooses, judges = halves(right.shape[1], torch.Generator().manual_seed(seed))
    trials = tuple(map(Trial, models, right[:, chooses].mean(1).tolist()))
    best = max(trials, key=lambda trial: trial.validation)
    seeds = [FRESH + retrainings * seed + number for number in range(retrainings)]
    again = tuple(trained(starts[best.name], each) for each in seeds)
    ours, control = (
        _scores([correct(model) for model in some], right.shape[1])[:, judges]
        for some in (again, [trained(free, each) for each in seeds])
    )
    verdict = compare_runs(ours, control)
    return Search(
        trials,
        best,
        models[best.name],
        again,
        Trial(best.name, float(ours.mean())),
        Trial("free", float(control.mean())),
        *map(float, verdict),
    )


def spread_angles(count: int, offset: float = 0.0) -> Sequence[float]:
    """`count` angles in degrees, spread evenly over the circle, half a step away from 0, moved by `offset`."""
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    return [((number + 0.5) * 360 / count + offset + 180) % 360 - 180 for number in range(count)]


def _scores(correct: list[Tensor], images: int | None = None) -> Tensor:
    """(models, images)"""
    for each in correct:
        if each.ndim != 1 or len(each) < 4:
            raise ValueError(f"correct must give one number for each of at least 4 images, got {tuple(each.shape)}")
        images = images or len(each)
        if len(each) != images:
            raise ValueError(f"correct must judge the same images each time, got {len(each)} and {images}")
    return torch.stack([each.double().cpu() for each in correct])
