"""Many starts: short trainings, the best on held-out images, and a claim only where it beats free filters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from torch import Tensor, nn

STANDARD_ERRORS = 2.0


@dataclass(frozen=True)
class Trial:
    """One start: its name, and the share of held-out images that it got right."""

    name: str
    validation: float


@dataclass(frozen=True, eq=False)
class Search:
    """All starts, the best of them, and whether it beats free filters by two standard errors on the same images."""

    trials: tuple[Trial, ...]
    best: Trial
    model: nn.Module
    free: Trial
    #: best minus free on held-out images, and the standard error of that difference, image by image.
    advantage: float
    standard_error: float

    @property
    def claimed(self) -> bool:
        return self.advantage > STANDARD_ERRORS * self.standard_error

    def __repr__(self) -> str:
        said = "a symmetry is claimed" if self.claimed else "no symmetry is claimed"
        return (
            f"Search(best start {self.best.name} at {self.best.validation:.3f}, free filters at "
            f"{self.free.validation:.3f}: {self.advantage:+.3f} +- {self.standard_error:.3f}, {said})"
        )


def search_starts(
    starts: dict[str, Callable[[], nn.Module]],
    free: Callable[[], nn.Module],
    train: Callable[[nn.Module], None],
    correct: Callable[[nn.Module], Tensor],
) -> Search:
    """Train each start briefly and choose on held-out images.

    `starts` and `free` make models that differ in their filters alone; `train` trains one in place; `correct` says of
    each held-out image whether a model got it right, (N,). The standard error is that of the paired difference: both
    models see the same images.
    """
    if not starts:
        raise ValueError("starts must hold at least one start, got none")
    control = free()
    train(control)
    baseline = _scores(correct(control))
    trials: list[Trial] = []
    kept: tuple[Trial, nn.Module, Tensor] | None = None
    for name, make in starts.items():
        model = make()
        train(model)
        scores = _scores(correct(model))
        if len(scores) != len(baseline):
            raise ValueError(f"correct must judge the same images each time, got {len(scores)} and {len(baseline)}")
        trials.append(Trial(name, float(scores.mean())))
        if kept is None or trials[-1].validation > kept[0].validation:
            kept = trials[-1], model, scores
    assert kept is not None
    best, model, scores = kept
    difference = scores - baseline
    error = float(difference.std() / len(difference) ** 0.5)
    return Search(tuple(trials), best, model, Trial("free", float(baseline.mean())), float(difference.mean()), error)


def spread_angles(count: int, offset: float = 0.0) -> Sequence[float]:
    """`count` angles in degrees, spread evenly over the circle, half a step away from 0, moved by `offset`."""
    if count < 1:
        raise ValueError(f"count must be at least 1, got {count}")
    return [((number + 0.5) * 360 / count + offset + 180) % 360 - 180 for number in range(count)]


def _scores(correct: Tensor) -> Tensor:
    if correct.ndim != 1 or len(correct) < 2:
        raise ValueError(f"correct must give one number for each of at least 2 images, got {tuple(correct.shape)}")
    return correct.double()
