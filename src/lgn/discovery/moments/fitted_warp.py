"""Maps of small images as warps of images of any size: a 2x2 matrix and a shift of places."""

from functools import partial

import torch
from torch import Tensor

from lgn.discovery.moments.prepare import Grid
from lgn.discovery.moments.whitening import Frame
from lgn.generators.affine import places_from_centre, turns, warp_matrices
from lgn.linalg import cosine
from lgn.transforms.warps import warp

#: The cosine on the whitened directions from which a map is a warp.
ENOUGH = 0.9
#: The loss of cosine at which an exact turn or flip by quarters replaces the fitted warp.
SIMPLER = 0.01


def fit_warp(inner: Tensor, frame: Frame, grid: Grid) -> "partial[Tensor] | None":
    """The warp `y(s) = x(M s + b)` that is nearest to a map of the whitened directions; None if it is not near.

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
    return partial(warp, linear=fitted[:, :2].tolist(), shift=fitted[:, 2].tolist()) if near >= ENOUGH else None
