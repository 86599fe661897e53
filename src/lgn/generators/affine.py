"""`Affine`: warps of the patch, six numbers each; of a signal two, stretch and shift."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.actions import Patch, pixels, signed_permutations, written
from lgn.generators.base import Generator
from lgn.generators.starts import StartName


class Geometry(NamedTuple):
    """What an affine warp does, `M = scale * turn(angle) * [[1, shear], [0, stretch]]`; each of (leading, channels).

    A signal has no angle and no shear: they are 0, and the stretch is -1 where time runs backwards, else 1.
    """

    degrees: Tensor  # counter-clockwise, in (-180, 180]
    scale: Tensor  # of the picture: 2 is twice as large
    shear: Tensor
    stretch: Tensor  # negative for a reflection
    shift: Tensor  # (leading, channels, axes) in pixels, down and right


class Affine(Generator):
    """`phi_A(X)[s] = X(M s + b)`: X read linearly between pixels at places moved by a matrix and a shift, 0 outside.

    Places s are (row, column) from the centre of the patch, as in `lgn.transforms`. M is 2x2 for images, one number for
    signals, 3x3 for volumes. A start is projected approximately: of the affine map through the centres of mass of its
    rows, and of turns and reflected turns by multiples of 15 degrees (of volumes the 48 symmetries of the cube, of
    signals the reversal), the nearest is taken. Bilinear reading has a kink at whole pixels, where the gradient of one
    side is lost: at the identity, which is all kinks, it is zero. Start elsewhere.
    """

    name = "affine"
    law = "A x(s) = x(M s + b)"
    learning_rate = 10.0  # slower, six numbers beside a network stay where they start
    penalty = "none"  # warps lose corners: an inverse that does not exist would outweigh the task
    decided_by_few = True
    operator = "may"
    places: Tensor

    def _start_from(self, start: Tensor) -> None:
        self.register_buffer("places", places_from_centre(self.patch).to(start), persistent=False)
        axes = len(self.patch)
        turned = turns(axes).to(start).expand(*start.shape[:2], -1, -1, -1)
        candidates = torch.cat([_through_centres(start, self.places).unsqueeze(2), turned], dim=2)
        linear, shift = candidates[..., :axes], candidates[..., axes]  # (leading, channels, candidates, 2, 2), (..., 2)
        distances = torch.linalg.matrix_norm(warp_matrices(linear, shift, self.places) - start.unsqueeze(2))
        best = distances.argmin(-1)[..., None, None, None].expand(-1, -1, 1, axes, axes + 1)
        chosen = candidates.gather(2, best).squeeze(2)
        self.linear = nn.Parameter(chosen[..., :axes].contiguous())
        self.shift = nn.Parameter(chosen[..., axes].contiguous())

    @classmethod
    def require_start(cls, start: StartName) -> None:
        if start == "identity":
            raise ValueError("start must not be 'identity' for generator 'affine', whose gradient is zero there")

    def matrix(self) -> Tensor:
        return warp_matrices(self.linear, self.shift, self.places)

    @torch.no_grad()
    def geometry(self) -> Geometry:
        """Angle, scale, shear and stretch of the picture: the warp reads at `M s`, so the picture moves by `M^-1`."""
        if len(self.patch) > 2:
            raise ValueError(
                f"geometry must be that of signals or images, got {written(self.patch)}: see linear, shift"
            )
        moved = -torch.linalg.solve(self.linear, self.shift)
        if len(self.patch) == 1:
            size = self.linear.double()[..., 0, 0]
            none = torch.zeros_like(size)
            return Geometry(none, 1 / size.abs(), none, size.sign(), moved)
        (a, b), (c, d) = (row.unbind(-1) for row in self.linear.double().unbind(-2))
        size = (a.square() + c.square()).sqrt()
        cosine, sine = a / size, -c / size  # the first column of M: a turn of the reading places
        shear, stretch = (cosine * b - sine * d) / size, (sine * b + cosine * d) / size
        degrees = torch.rad2deg(torch.atan2(sine, cosine))
        return Geometry(degrees, 1 / size, shear, stretch, moved)

    @torch.no_grad()
    def law_error(self) -> Tensor:
        """Rows are not negative and sum to at most 1; a row that sums to 1 has its centre of mass at `M s + b`."""
        matrix = self.matrix()
        sums = matrix.sum(-1)
        centres = matrix @ self.places
        expected = self.places @ self.linear.mT + self.shift.unsqueeze(-2)
        inside = sums >= 1 - 1e-6
        off_centre = ((centres - expected).norm(dim=-1) * inside).amax(-1)
        return torch.stack([off_centre, -matrix.amin((-2, -1)), sums.amax(-1) - 1]).amax(0).clamp_min(0)


def warp_matrices(linear: Tensor, shift: Tensor, places: Tensor) -> Tensor:
    """The weight of each pixel at each place that is read.  (..., axes, axes), (..., axes) -> (..., d, d)"""
    read = places @ linear.mT + shift.unsqueeze(-2)  # (..., d, 2)
    distances = (read.unsqueeze(-2) - places).abs()  # (..., d, d, 2)
    return (1 - distances).clamp_min(0).prod(-1)


def places_from_centre(patch: Patch) -> Tensor:
    """(row, column) of each pixel from the centre, in the order of `vec`.  -> (d, axes)"""
    return pixels(patch).double() - (torch.tensor(patch, dtype=torch.float64) - 1) / 2


def _through_centres(start: Tensor, places: Tensor) -> Tensor:
    """The affine map of least squares through the centres of mass of rows, those that sum to 1 alone if they suffice.

    Bilinear weights have their centre where they read, so a warp that reads inside the patch is found exactly.

    Shapes: (leading, channels, d, d) -> (leading, channels, axes, axes + 1), the shift in the last column.
    """
    inside = ((start.sum(-1) - 1).abs() < 1e-4) & (start > -1e-4).all(-1)
    axes = places.shape[-1]
    enough = inside.sum(-1, keepdim=True) > axes
    weight = torch.where(enough, inside, torch.ones_like(inside)).to(start).unsqueeze(-1)
    known = torch.cat([places, torch.ones_like(places[:, :1])], -1)
    # Against the identity, so that what a narrow patch leaves open stays the identity.
    moved = (start @ places - places) * weight
    identity = torch.eye(axes, axes + 1).to(start)
    return identity + (torch.linalg.pinv(known * weight) @ moved).mT


def turns(axes: int = 2) -> Tensor:
    """Turns and reflected turns by 15 degrees, of cubes by quarter turns.  -> (candidates, axes, axes + 1)"""
    if axes != 2:
        return F.pad(signed_permutations(axes), (0, 1))
    angles = torch.arange(24, dtype=torch.float64) * (math.pi / 12)
    cosine, sine, zero = angles.cos(), angles.sin(), torch.zeros_like(angles)
    turned = torch.stack([cosine, sine, zero, -sine, cosine, zero], -1).unflatten(-1, (2, 3))
    reflected = turned * torch.tensor([1.0, -1.0, 1.0])
    return torch.cat([turned, reflected])
