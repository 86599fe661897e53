"""Whitening: coordinates in which every linear map that preserves a distribution is orthogonal."""

from dataclasses import dataclass

import torch
from torch import Tensor

#: A direction with less than this share of the largest variance is constant up to rounding.
CONSTANT = 1e-10
#: The largest and the smallest rank that the data can choose.
MOST, FEWEST = 20, 4
#: There is a gap between two variances if the logarithm of their ratio is at least this.
WIDE = 0.22


@dataclass(frozen=True, eq=False)
class Frame:
    """`z = to (x - mean)` has mean zero and unit covariance on r directions, and `x - mean` is `back z` there.

    Shapes: mean (d,), to (r, d), back (d, r), with `to back = I`.
    """

    mean: Tensor
    to: Tensor
    back: Tensor

    @property
    def rank(self) -> int:
        """The number r of directions."""
        return self.to.shape[0]

    def apply(self, x: Tensor) -> Tensor:
        """(N, d) -> (N, r)"""
        return (x - self.mean) @ self.to.T

    def turned(self, rotation: Tensor) -> "Frame":
        """The same directions in the coordinates `rotation z`.  (r, r) orthogonal"""
        return Frame(self.mean, rotation @ self.to, self.back @ rotation.T)

    def lift(self, inner: Tensor) -> Tensor:
        """A map of z as a map of `x - mean`; other directions stay as they are.  (r, r) -> (d, d)"""
        eye = torch.eye(len(self.mean), dtype=inner.dtype)
        return eye + self.back @ (inner - torch.eye(self.rank, dtype=inner.dtype)) @ self.to

    def lower(self, matrix: Tensor) -> Tensor:
        """A map of `x - mean` on the directions of this frame.  (..., d, d) -> (..., r, r)"""
        return self.to @ matrix @ self.back


@dataclass(frozen=True, eq=False)
class Principal:
    """Mean, nonzero variances in falling order, and their directions as columns.  (d,), (k,), (d, k)"""

    mean: Tensor
    variances: Tensor
    directions: Tensor

    def frame(self, rank: int) -> Frame:
        """The whitening of the leading directions.

        A map that preserves the distribution of x preserves its covariance, so it is orthogonal on z. On r of d
        directions this holds for maps that commute with the covariance, if no space of equal variances is cut.
        """
        scale, directions = self.variances[:rank].sqrt(), self.directions[:, :rank]
        return Frame(self.mean, (directions / scale).T.contiguous(), directions * scale)

    def ranks(self, most: int = MOST) -> list[int]:
        """The ranks at which the variances can be cut, the largest first: all directions, or before a wide gap.

        A gap must be wider than both of its neighbours.
        """
        count = len(self.variances)
        ranks = [count] if count <= most else []
        gaps = [0.0, *(self.variances[:-1] / self.variances[1:]).log().tolist(), 0.0]  # gaps[k] follows the k-th
        for rank in range(min(most, count - 1), FEWEST - 1, -1):
            if gaps[rank] >= WIDE and gaps[rank] >= max(gaps[rank - 1], gaps[rank + 1]):
                ranks.append(rank)
        return ranks or [min(count, FEWEST)]


def principal_directions(x: Tensor) -> Principal:
    """The principal directions of rows.  (N, d) -> `Principal`"""
    mean = x.mean(0)
    centred = x - mean
    variances, directions = torch.linalg.eigh(centred.T @ centred / len(x))
    variances, directions = variances.flip(0), directions.flip(1)
    present = int((variances > CONSTANT * variances[0]).sum())
    return Principal(mean, variances[:present], directions[:, :present])
