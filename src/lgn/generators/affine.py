"""`Affine`: affine warps of the patch, with six parameters for images and two for signals."""

import math
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.actions import Patch, pixels, signed_permutations, size_text
from lgn.generators.base import Generator
from lgn.generators.starts import StartName
from lgn.linalg import double


class Geometry(NamedTuple):
    """The parameters of affine warps, `M = scale * turn(angle) * [[1, shear], [0, stretch]]`: all (leading, channels).

    For signals, the angle and the shear are 0, and the stretch is -1 if time is reversed and 1 otherwise.
    """

    degrees: Tensor  # counter-clockwise, in (-180, 180]
    scale: Tensor  # of the image: 2 is twice as large
    shear: Tensor
    stretch: Tensor  # negative for a reflection
    shift: Tensor  # (leading, channels, axes) in pixels, down and right


class Affine(Generator):
    """`phi_A(X)[s] = X(M s + b)`: X is interpolated linearly at positions moved by a matrix and a shift, 0 outside.

    Positions s are (row, column) from the centre of the patch, as in `lgn.transforms`. M is 2x2 for images, a number
    for signals and 3x3 for volumes. A start is projected approximately, to the nearest of these: the affine map through
    the centres of mass of its rows, and rotations, with and without a reflection, by multiples of 15 degrees (for
    volumes the 48 symmetries of the cube, for signals the reversal). Linear interpolation has a kink at whole pixels.
    The identity consists of kinks, so its gradient is zero: start elsewhere.
    """

    name = "affine"
    guarantee = "A x(s) = x(M s + b)"
    learning_rate = 10.0  # with a smaller rate, six parameters of a network stay where they start
    penalty = "none"  # warps lose corners: the penalty of a missing inverse would outweigh the task
    few_parameters = True
    operator = "may"
    places: Tensor

    def _project(self, start: Tensor) -> None:
        self.register_buffer("places", places_from_centre(self.patch).to(start), persistent=False)
        axes = len(self.patch)
        turned = turns(axes).to(start).expand(*start.shape[:2], -1, -1, -1)
        candidates = torch.cat([_through_centres(start, self.places).unsqueeze(2), turned], dim=2)
        linear, shift = candidates[..., :axes], candidates[..., axes]  # (leading, channels, candidates, 2, 2), (..., 2)
        distances = torch.linalg.matrix_norm(warp_matrices(linear, shift, self.places) - start.unsqueeze(2))
        best = distances.argmin(-1)[..., None, None, None].expand(-1, -1, 1, axes, axes + 1)
        nearest = candidates.gather(2, best).squeeze(2)
        self.linear = nn.Parameter(nearest[..., :axes].contiguous())
        self.shift = nn.Parameter(nearest[..., axes].contiguous())

    @classmethod
    def require_start(cls, start: StartName) -> None:
        if start == "identity":
            raise ValueError("start must not be 'identity' for generator 'affine', whose gradient is zero there")

    def matrix(self) -> Tensor:
        return warp_matrices(self.linear, self.shift, self.places)

    @torch.no_grad()
    def geometry(self) -> Geometry:
        """The geometry of the image, which moves by `M^-1` because the warp reads at `M s`."""
        if len(self.patch) > 2:
            raise ValueError(f"patch must be of signals or images for the geometry, got {size_text(self.patch)}")
        moved = -torch.linalg.solve(self.linear, self.shift)
        if len(self.patch) == 1:
            size = double(self.linear)[..., 0, 0]
            zero = torch.zeros_like(size)
            return Geometry(zero, 1 / size.abs(), zero, size.sign(), moved)
        (a, b), (c, d) = (row.unbind(-1) for row in double(self.linear).unbind(-2))
        size = (a.square() + c.square()).sqrt()
        cosine, sine = a / size, -c / size  # the first column of M: a rotation of the positions that are read
        shear, stretch = (cosine * b - sine * d) / size, (sine * b + cosine * d) / size
        degrees = torch.rad2deg(torch.atan2(sine, cosine))
        return Geometry(degrees, 1 / size, shear, stretch, moved)

    @torch.no_grad()
    def guarantee_error(self) -> Tensor:
        """The largest error of: entries >= 0, row sums <= 1, the centre of mass of a row with sum 1 is `M s + b`."""
        matrix = self.matrix()
        sums = matrix.sum(-1)
        expected = self.places @ self.linear.mT + self.shift.unsqueeze(-2)
        inside = sums >= 1 - 1e-6
        off_centre = ((matrix @ self.places - expected).norm(dim=-1) * inside).amax(-1)
        return torch.stack([off_centre, -matrix.amin((-2, -1)), sums.amax(-1) - 1]).amax(0).clamp_min(0)


def warp_matrices(linear: Tensor, shift: Tensor, places: Tensor) -> Tensor:
    """The weight of each pixel at each position that is read.  (..., axes, axes), (..., axes) -> (..., d, d)"""
    read = places @ linear.mT + shift.unsqueeze(-2)  # (..., d, 2)
    distances = (read.unsqueeze(-2) - places).abs()  # (..., d, d, 2)
    return (1 - distances).clamp_min(0).prod(-1)


def places_from_centre(patch: Patch) -> Tensor:
    """(row, column) of each pixel from the centre, in the order of `vec`.  -> (d, axes)"""
    return pixels(patch).double() - (torch.tensor(patch, dtype=torch.float64) - 1) / 2


def _through_centres(start: Tensor, places: Tensor) -> Tensor:
    """The least-squares affine map through the centres of mass of rows, or of the rows with sum 1 if they suffice.

    The centre of mass of bilinear weights is the position that they read, so the projection of a warp that reads inside
    the patch is exact.

    Shapes: (leading, channels, d, d) -> (leading, channels, axes, axes + 1), the shift in the last column.
    """
    inside = ((start.sum(-1) - 1).abs() < 1e-4) & (start > -1e-4).all(-1)
    axes = places.shape[-1]
    enough = inside.sum(-1, keepdim=True) > axes
    weight = torch.where(enough, inside, torch.ones_like(inside)).to(start).unsqueeze(-1)
    known = torch.cat([places, torch.ones_like(places[:, :1])], -1)
    # Relative to the identity, so that directions that a narrow patch does not determine stay the identity.
    moved = (start @ places - places) * weight
    identity = torch.eye(axes, axes + 1).to(start)
    return identity + (torch.linalg.pinv(known * weight) @ moved).mT


def turns(axes: int = 2) -> Tensor:
    """Rotations, also reflected, by multiples of 15 degrees; signed permutations of the axes for signals and volumes.

    Shapes: -> (candidates, axes, axes + 1)
    """
    if axes != 2:
        return F.pad(signed_permutations(axes), (0, 1))
    angles = torch.arange(24, dtype=torch.float64) * (math.pi / 12)
    cosine, sine, zero = angles.cos(), angles.sin(), torch.zeros_like(angles)
    turned = torch.stack([cosine, sine, zero, -sine, cosine, zero], -1).unflatten(-1, (2, 3))
    reflected = turned * torch.tensor([1.0, -1.0, 1.0])
    return torch.cat([turned, reflected])
