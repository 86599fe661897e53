"""Samples with mean 0 and standard deviation 1 over the whole set, and their own units."""

from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.discovery.observers import shrink
from lgn.transforms import Transformation

#: The longest side of samples for transformations that interpolate, by the number of axes.
FINE = {1: 1024, 2: 32, 3: 16}


@dataclass(frozen=True, eq=False)
class Standardised:
    """Samples `(x - mean) / spread`; longer sides than eight times FINE are averaged."""

    samples: Tensor
    mean: Tensor
    spread: Tensor

    @property
    def zero(self) -> float:
        """The standardised value of zero."""
        return float(-self.mean / self.spread)

    def through(self, transformation: Transformation, samples: Tensor) -> Tensor:
        """The standardised result of a transformation that acts on samples in their own units."""
        moved = transformation(samples * self.spread + self.mean)
        if not isinstance(moved, Tensor):
            raise ValueError(f"candidates must return tensors, got {type(moved).__name__} from {transformation.name!r}")
        return (moved.to(samples) - self.mean) / self.spread

    def fine(self) -> Tensor:
        """Smaller samples, for transformations that interpolate."""
        return shrink(self.samples, FINE[self.samples.ndim - 2])


def standardised(samples: Tensor) -> Standardised:
    """Standardise samples of any dtype.  (N, C, ...) -> (N, C, ...') in float32"""
    longest = 8 * FINE[samples.ndim - 2]
    values = torch.cat([shrink(part.float(), longest) for part in samples.split(1000)])
    mean, spread = values.mean(), values.std().clamp(min=1e-6)
    return Standardised((values - mean) / spread, mean, spread)
