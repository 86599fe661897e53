"""`Transformation`: a map of data that may be a symmetry."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from lgn.actions import act

Space = Literal["images", "signals", "volumes", "points", "channels", "rows"]
#: The number of axes of one sample on which a matrix acts, without channels.
AXES = {"images": 2, "signals": 1, "volumes": 3}


@dataclass(frozen=True, eq=False)
class Transformation:
    """A map T of samples that may be a symmetry, given by a matrix or by a function.

    A matrix of images, signals or volumes acts on `vec` of each channel, a matrix of points on the coordinates of each
    point, a matrix of channels on the channels, and a matrix of rows on whole samples, flattened. A matrix of rows may
    have an offset b: `T(x) = A x + b`. A function takes a batch of samples and returns a batch of the same shape.

    Shapes: matrix (d, d), offset (d,); `T(x)`: (N, ...) -> (N, ...)
    """

    name: str
    matrix: Tensor | None = None
    function: Callable[[Tensor], Tensor] | None = None
    #: What the transformation acts on; None is whatever the data are.
    space: Space | None = None
    #: The smallest q with `T^q` equal to the identity; None if there is none, or if it is not known.
    order: int | None = None
    #: The noun phrase that sentences use, such as "a left-right flip"; empty for the name.
    phrase: str = ""
    #: The angle, shift or logarithm of the factor of a transformation on a line.
    parameter: float | None = None
    #: The name of the family that the transformation belongs to.
    family: str = ""
    #: The number of the element in the group of the family, or the number of steps on the line of the family.
    element: int | None = None
    offset: Tensor | None = None

    def __post_init__(self) -> None:
        if self.matrix is not None and self.function is not None:
            raise ValueError(f"matrix and function must not both be given, transformation {self.name!r} has both")
        if self.matrix is not None and (self.matrix.ndim != 2 or self.matrix.shape[0] != self.matrix.shape[1]):
            raise ValueError(f"matrix must be square, got {tuple(self.matrix.shape)} for {self.name!r}")

    @property
    def spoken(self) -> str:
        """The noun phrase for sentences."""
        return self.phrase or self.name

    def __call__(self, samples: Tensor) -> Tensor:
        """T(x) for a batch of samples."""
        if self.function is not None:
            return self.function(samples)
        if self.matrix is None:
            raise ValueError(
                f"transformation {self.name!r} has neither a matrix nor a function, pass one to Answer.load"
            )
        if not samples.is_floating_point():
            samples = samples.float()
        matrix = self.matrix.to(samples)
        if self.space == "channels":
            return torch.einsum("ij,nj...->ni...", matrix, samples)
        if self.space == "rows":
            if samples.numel() != len(samples) * len(matrix):
                shape = tuple(samples.shape)
                raise ValueError(f"samples must have {len(matrix)} values for {self.name!r}, got shape {shape}")
            moved = samples.flatten(1) @ matrix.mT
            return (moved if self.offset is None else moved + self.offset.to(moved)).view(samples.shape)
        axes = AXES.get(self.space or "", 0)
        return act(matrix, samples, axes) if axes else samples @ matrix.mT

    def power(self, exponent: int) -> "Transformation":
        """`T^exponent`; a negative exponent needs the order or a matrix."""
        if exponent < 0 and self.order is not None:
            exponent %= self.order
        power = replace(self, name=f"{self.name}^{exponent}", order=None, phrase="", parameter=None, element=None)
        if self.matrix is not None and self.offset is not None:
            both = torch.cat([self.matrix, self.offset.to(self.matrix)[:, None]], 1)
            last = torch.eye(len(both) + 1, dtype=both.dtype, device=both.device)[-1:]
            both = torch.linalg.matrix_power(torch.cat([both, last]), exponent)[:-1]
            return replace(power, matrix=both[:, :-1], offset=both[:, -1])
        if self.matrix is not None:
            return replace(power, matrix=torch.linalg.matrix_power(self.matrix, exponent))
        if exponent < 0:
            raise ValueError(f"order must be known to invert {self.name!r}, got none")

        def repeated(samples: Tensor) -> Tensor:
            for _ in range(exponent):
                samples = self(samples)
            return samples

        return replace(power, function=repeated)

    @property
    def inverse(self) -> "Transformation":
        """`T^-1`, which needs the order or a matrix."""
        return self.power(-1)

    def then(self, other: "Transformation") -> "Transformation":
        """`other(self(x))`."""
        return Transformation(
            f"{self.name} then {other.name}", function=lambda samples: other(self(samples)), space=self.space
        )
