"""Samples with mean 0 and standard deviation 1 over the whole set, and the way back."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.discovery.observers import shrink
from lgn.transforms import Transformation

#: The longest side for transformations that interpolate between values, by the number of axes.
FINE = {1: 1024, 2: 32, 3: 16}


@dataclass(frozen=True, eq=False)
class Standardised:
    """Samples `(x - mean) / spread`, whose sides are at most eight times FINE."""

    samples: Tensor
    mean: Tensor
    spread: Tensor

    @property
    def zero(self) -> float:
        """The value that zero has after standardising."""
        return float(-self.mean / self.spread)

    def through(self, transformation: Transformation, samples: Tensor) -> Tensor:
        """A transformation of samples in their own units, applied to standardised samples."""
        moved = transformation(samples * self.spread + self.mean)
        if not isinstance(moved, Tensor):
            raise ValueError(f"candidates must return tensors, got {type(moved).__name__} from {transformation.name!r}")
        return (moved.to(samples) - self.mean) / self.spread

    def fine(self) -> Tensor:
        """The samples for transformations that interpolate."""
        return shrink(self.samples, FINE[self.samples.ndim - 2])


def standardised(samples: Tensor) -> Standardised:
    """Standardise samples of any number type.  (N, C, ...) -> float32, the same or smaller"""
    longest = 8 * FINE[samples.ndim - 2]
    values = torch.cat([shrink(part.float(), longest) for part in samples.split(1000)])
    mean, spread = values.mean(), values.std().clamp(min=1e-6)
    return Standardised((values - mean) / spread, mean, spread)
