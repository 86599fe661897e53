"""Whitening: the coordinates in which every linear map that keeps a distribution is orthogonal."""

from dataclasses import dataclass

import torch
from torch import Tensor

CONSTANT = 1e-10  # of the largest variance: below it a direction is constant up to rounding
MOST, FEWEST = 20, 4  # directions, where the data choose how many
WIDE = 0.22  # the logarithm of the ratio of two variances between which there is a gap


@dataclass(frozen=True, eq=False)
class Frame:
    """`z = to (x - mean)` has zero mean and unit covariance on r directions, and `x - mean` is `back z` there.

    Shapes: mean (d,), to (r, d), back (d, r), with `to back = I`.
    """

    mean: Tensor
    to: Tensor
    back: Tensor

    @property
    def rank(self) -> int:
        return self.to.shape[0]

    def apply(self, x: Tensor) -> Tensor:
        """(N, d) -> (N, r)"""
        return (x - self.mean) @ self.to.T

    def turned(self, rotation: Tensor) -> "Frame":
        """The same directions in other coordinates, `rotation z`.  (r, r) orthogonal"""
        return Frame(self.mean, rotation @ self.to, self.back @ rotation.T)

    def lift(self, inner: Tensor) -> Tensor:
        """What a map of z does to `x - mean`, and nothing to the directions outside.  (r, r) -> (d, d)"""
        eye = torch.eye(len(self.mean), dtype=inner.dtype)
        return eye + self.back @ (inner - torch.eye(self.rank, dtype=inner.dtype)) @ self.to

    def lower(self, matrix: Tensor) -> Tensor:
        """What a map of x does on the directions of this frame.  (d, d) -> (r, r)"""
        return self.to @ matrix @ self.back


@dataclass(frozen=True, eq=False)
class Principal:
    """Mean, variances that are not zero in falling order, and their directions as columns.  (d,), (k,), (d, k)"""

    mean: Tensor
    variances: Tensor
    directions: Tensor

    def frame(self, rank: int) -> Frame:
        """The whitening of the leading directions.

        A map that keeps the distribution of x keeps its covariance, so it is orthogonal on z; on r of d directions that
        holds for maps that commute with the covariance, if the cut does not go through a space of equal variances.
        """
        scale, directions = self.variances[:rank].sqrt(), self.directions[:, :rank]
        return Frame(self.mean, (directions / scale).T.contiguous(), directions * scale)

    def ranks(self, most: int = MOST) -> list[int]:
        """Where the variances can be cut, the largest rank first: not through nearly equal ones.

        All of few directions come first; then gaps after the 4th to the 20th, each wider than both of its neighbours.
        """
        count = len(self.variances)
        ranks = [count] if count <= most else []
        gaps = [0.0, *(self.variances[:-1] / self.variances[1:]).log().tolist(), 0.0]  # gaps[k] follows the k-th
        for rank in range(min(most, count - 1), FEWEST - 1, -1):
            if gaps[rank] >= WIDE and gaps[rank] >= max(gaps[rank - 1], gaps[rank + 1]):
                ranks.append(rank)
        return ranks or [min(count, FEWEST)]


def principal_directions(x: Tensor) -> Principal:
    """(N, d) -> `Principal`"""
    mean = x.mean(0)
    centred = x - mean
    variances, directions = torch.linalg.eigh(centred.T @ centred / len(x))
    variances, directions = variances.flip(0), directions.flip(1)
    present = int((variances > CONSTANT * variances[0]).sum())
    return Principal(mean, variances[:present], directions[:, :present])
