"""A found map of images as a warp: a 2x2 matrix and a shift that hold at every size, exact where they are near."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.discovery.moments.prepare import Grid
from lgn.discovery.moments.whitening import Frame
from lgn.generators.affine import places_from_centre, turns, warp_matrices
from lgn.linalg import cosine

ENOUGH = 0.9  # cosine on the directions looked at from which a map is a warp
SIMPLER = 0.01  # of cosine: what an exact turn or flip by quarters may fall behind what was fitted


@dataclass(frozen=True, eq=False)
class Warp:
    """`y(s) = x(M s + b)` with places s, in (row, column) from the centre: a map of images of any size."""

    linear: Tensor  # M, (2, 2)
    shift: Tensor  # b, (2,), in heights and widths of the image
    #: On the directions looked at, with what was found.
    cosine: float

    @property
    def exact(self) -> bool:
        """Whether it takes pixels to pixels: a turn or flip by quarters, about the centre."""
        return bool((self.linear == self.linear.round()).all()) and not self.shift.any()

    def matrix(self, patch: tuple[int, int]) -> Tensor:
        """On `vec` of a patch, read bilinearly.  -> (d, d)"""
        return warp_matrices(self.linear, self.shift * torch.tensor(patch), places_from_centre(patch))

    def __call__(self, images: Tensor) -> Tensor:
        """(N, C, H, W) of floats -> the same"""
        sides = torch.tensor(images.shape[-2:], dtype=torch.float64)
        height, width = images.shape[-2:]
        places = places_from_centre((height, width)) @ self.linear.T + self.shift * sides
        grid = (2 * places / (sides - 1)).unflatten(0, (width, height)).transpose(0, 1).flip(-1).to(images)
        mode = "nearest" if self.exact else "bilinear"  # pixels go to pixels, without rounding
        return F.grid_sample(images, grid.expand(len(images), -1, -1, -1), mode, align_corners=True)


def fit_warp(inner: Tensor, frame: Frame, grid: Grid) -> Warp | None:
    """The warp that is nearest to a map on the directions looked at; None where it is not near.

    From the best turn or reflected turn by a multiple of 15 degrees, six numbers are fitted by least squares; a turn
    or flip by quarters that is as good is taken instead.

    Shapes: (r, r)
    """
    places, sides = places_from_centre(grid.patch), torch.tensor(grid.patch, dtype=torch.float64)
    # One warp for all channels: their parts of the frame are added.
    to, back = frame.to.unflatten(1, (grid.channels, -1)), frame.back.unflatten(0, (grid.channels, -1))

    def on_directions(numbers: Tensor) -> Tensor:  # (..., 2, 3) -> (..., r, r)
        pixels = warp_matrices(numbers[..., :2], numbers[..., 2] * sides, places)
        return torch.einsum("icx,...xy,cyj->...ij", to, pixels, back)

    tried = torch.stack([on_directions(each) for each in turns()])
    numbers = turns()[(tried - inner).flatten(1).norm(dim=1).argmin()].clone().requires_grad_()
    optimizer = torch.optim.LBFGS([numbers], max_iter=60, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = (on_directions(numbers) - inner).square().sum()
        value.backward()
        return value

    optimizer.step(loss)
    fitted = numbers.detach()
    exact = fitted.round() * torch.tensor([1.0, 1.0, 0.0])  # about the centre
    near, nearly = (cosine(inner, on_directions(each)) for each in (fitted, exact))
    if nearly >= near - SIMPLER:
        fitted, near = exact, nearly
    return Warp(fitted[:, :2], fitted[:, 2], near) if near >= ENOUGH else None
