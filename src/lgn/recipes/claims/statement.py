"""What a claim comes to: a number with its interval, what chance gives, and a verdict in plain words."""

from dataclasses import asdict, dataclass
from typing import Any, Literal

import torch

Verdict = Literal["holds", "holds in part", "not seen", "not tested"]

ROUNDING = 1e-9  # the mean of three times 0.05 is not above 0.05

CLAIMS = {
    1: "Skew-symmetric, Toeplitz and multi-scale actions emerge for classification on CIFAR-10.",
    2: "The same structures emerge on MNIST.",
    3: "Actions for reconstruction differ from those for classification: multiple concentrated blocks.",
    4: "Learned Toeplitz actions lie between random and circulant under the DFT, closer to circulant.",
    5: "Actions resemble pooling composed with rotation more than either alone.",
    6: "The inverse penalty costs about 30 % of training time, and singular values about 100 %.",
    7: "Each penalty keeps singular values away from zero; without one they are not kept.",
    8: "Learned actions generate cyclic groups of order p.",
    9: "What is shown of an action is what data and task made of it.",
    10: "On the identity, skew-symmetric actions darken towards later pixels, Toeplitz ones turn and smooth the "
    "diagonal, multi-scale ones differ across the antidiagonal.",
    11: "Actions for reconstruction on CIFAR-10 and on MNIST resemble each other.",
    12: "A learned composition is the product of the learned rotation and the learned pooling.",
    13: "Skew-symmetric actions implement a causal averaging of pixels.",
    14: "The group does as well as free filters.",
    15: "Any architecture will do: the same structures emerge in a plain CNN.",
}


@dataclass(frozen=True)
class Statement:
    """One claim of the paper, and what was measured of it."""

    number: int
    runs: str  # preset, start and data of what was measured
    effect: str
    null: str
    verdict: Verdict
    details: tuple[str, ...] = ()
    released: Verdict | None = None  # by seeds of the released code's settings alone, where the claim is judged on them

    @property
    def claim(self) -> str:
        return CLAIMS[self.number]

    def to_json(self) -> dict[str, Any]:
        return {"number": self.number, "claim": self.claim} | asdict(self)


def untested(number: int, reason: str) -> Statement:
    """A claim of which nothing was measured."""
    return Statement(number, "nothing", reason, "", "not tested")


@dataclass(frozen=True)
class Estimate:
    """A mean over runs and its 95 % interval by bootstrap; no interval from a single run."""

    mean: float
    low: float | None
    high: float | None
    runs: int

    def __str__(self) -> str:
        if self.low is None or self.high is None:
            return f"{self.mean:.3g} (one run)"
        return f"{self.mean:.3g} [{self.low:.3g}, {self.high:.3g}] over {self.runs} runs"

    def above(self, value: float) -> bool:
        """Whether the whole interval lies above a value, by more than rounding; never from a single run."""
        return self.low is not None and self.low > value + ROUNDING

    def below(self, value: float) -> bool:
        return self.high is not None and self.high < value - ROUNDING


def estimate(values: list[float], draws: int = 10_000, seed: int = 0) -> Estimate:
    """The mean over runs, resampled by run: the run is the unit, not the generator."""
    sample = torch.tensor(values, dtype=torch.float64)
    if len(sample) < 2:
        return Estimate(float(sample.mean()), None, None, len(sample))
    chosen = torch.randint(len(sample), (draws, len(sample)), generator=torch.Generator().manual_seed(seed))
    low, high = sample[chosen].mean(1).quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
    return Estimate(float(sample.mean()), low, high, len(sample))


def difference(one: list[float], other: list[float], draws: int = 10_000, seed: int = 0) -> Estimate:
    """The difference of two means over runs, both resampled."""
    first, second = (torch.tensor(values, dtype=torch.float64) for values in (one, other))
    mean = float(first.mean() - second.mean())
    if min(len(first), len(second)) < 2:
        return Estimate(mean, None, None, min(len(first), len(second)))
    generator = torch.Generator().manual_seed(seed)
    means = [
        values[torch.randint(len(values), (draws, len(values)), generator=generator)].mean(1)
        for values in (first, second)
    ]
    low, high = (means[0] - means[1]).quantile(torch.tensor([0.025, 0.975], dtype=torch.float64)).tolist()
    return Estimate(mean, low, high, min(len(first), len(second)))


def of_parts(parts: list[bool]) -> Verdict:
    """The verdict on a claim of several parts."""
    return "holds" if all(parts) else "holds in part" if any(parts) else "not seen"


def by_thresholds(found: Estimate, holds: float, in_part: float) -> Verdict:
    """The verdict on a claim of degree: the whole interval beyond one of two values."""
    return "holds" if found.above(holds) else "holds in part" if found.above(in_part) else "not seen"
