"""A map of small images as a warp of images of any size: a 2x2 matrix and a shift."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.discovery.moments.prepare import Grid
from lgn.discovery.moments.whitening import Frame
from lgn.generators.affine import places_from_centre, turns, warp_matrices
from lgn.linalg import cosine

#: The cosine on the whitened directions from which a map is a warp.
ENOUGH = 0.9
#: The loss of cosine at which an exact turn or flip by quarters replaces the fitted warp.
SIMPLER = 0.01


@dataclass(frozen=True, eq=False)
class Warp:
    """`y(s) = x(M s + b)` at places s, (row, column) from the centre: a map of images of any size."""

    linear: Tensor  # M, (2, 2)
    shift: Tensor  # b, (2,), in heights and widths of the image

    @property
    def exact(self) -> bool:
        """Whether pixels move to pixels: a turn or flip by quarters about the centre."""
        return bool((self.linear == self.linear.round()).all()) and not self.shift.any()

    def __call__(self, images: Tensor) -> Tensor:
        """(..., H, W) of floats -> the same"""
        height, width = images.shape[-2:]
        sides = torch.tensor((height, width), dtype=torch.float64)
        places = places_from_centre((height, width)) @ self.linear.T + self.shift * sides
        grid = (2 * places / (sides - 1)).unflatten(0, (width, height)).transpose(0, 1).flip(-1).to(images)
        mode = "nearest" if self.exact else "bilinear"  # pixels move to pixels without rounding
        flat = images.reshape(1, -1, height, width)
        return F.grid_sample(flat, grid[None], mode, align_corners=True).view(images.shape)


def fit_warp(inner: Tensor, frame: Frame, grid: Grid) -> Warp | None:
    """The warp that is nearest to a map of the whitened directions; None if it is not near.

    From the best turn or reflected turn by a multiple of 15 degrees, six numbers are fitted by least squares. A turn or
    flip by quarters that is as good replaces it.

    Shapes: (r, r)
    """
    places, sides = places_from_centre(grid.patch), torch.tensor(grid.patch, dtype=torch.float64)
    # One warp for all channels: their parts of the frame are added.
    to, back = frame.to.unflatten(1, (grid.channels, -1)), frame.back.unflatten(0, (grid.channels, -1))

    def lowered(numbers: Tensor) -> Tensor:  # (2, 3) -> (r, r)
        pixels = warp_matrices(numbers[:, :2], numbers[:, 2] * sides, places)
        return torch.einsum("icx,xy,cyj->ij", to, pixels, back)

    numbers = min(turns(), key=lambda start: float((lowered(start) - inner).norm())).clone().requires_grad_()
    optimizer = torch.optim.LBFGS([numbers], max_iter=60, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = (lowered(numbers) - inner).square().sum()
        value.backward()
        return value

    with torch.enable_grad():
        optimizer.step(loss)
    fitted = numbers.detach()
    exact = fitted.round() * torch.tensor([1.0, 1.0, 0.0])  # about the centre
    near, nearly = (cosine(inner, lowered(one)) for one in (fitted, exact))
    if nearly >= near - SIMPLER:
        fitted, near = exact, nearly
    return Warp(fitted[:, :2], fitted[:, 2]) if near >= ENOUGH else None
