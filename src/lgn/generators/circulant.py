"""`Circulant`: cyclic convolutions of the patch."""

import math

import torch
from torch import Tensor, nn

from lgn.actions import pixels, unvec, vec
from lgn.generators.base import Generator
from lgn.measures import relative_error


class Circulant(Generator):
    """`A = F^-1 D F` with the Fourier matrix F of the patch's axes: a cyclic convolution of the patch (app. D).

    The parameters are the real kernel `c`, the inverse transform of `D`: `phi_A(X)[i, j] = sum c[i - k, j - l] X[k, l]`
    with indices modulo the patch. It has `n m` parameters and commutes with every cyclic shift. A start is projected
    exactly, by averaging the entries with the same place in the kernel.
    """

    name = "circulant"
    guarantee = "A = F^-1 D F"
    few_parameters = True
    structures = ("doubly block-circulant", "block-Toeplitz", "few 2-D Fourier lines")
    index: Tensor

    def _project(self, start: Tensor) -> None:
        places, d = pixels(self.patch), start.shape[-1]
        offsets = ((places[:, None] - places) % torch.tensor(self.patch)).unbind(-1)  # (d, d) for each axis
        index = unvec(torch.arange(d), self.patch)[offsets].to(start.device)  # the place in the kernel of each entry
        self.register_buffer("index", index, persistent=False)
        kernel = start.new_zeros(*start.shape[:2], d)
        kernel.scatter_add_(-1, index.flatten().expand(*start.shape[:2], -1), start.flatten(-2))
        self.kernel = nn.Parameter(kernel / d)

    def matrix(self) -> Tensor:
        return self.kernel[..., self.index]

    @torch.no_grad()
    def guarantee_error(self) -> Tensor:
        matrix, axes = self.matrix(), len(self.patch)
        places = unvec(torch.arange(math.prod(self.patch)), self.patch)
        shifts = [vec(places.roll(1, dims=axis), axes) for axis in range(axes)]
        errors = [relative_error(matrix[..., shift, :][..., :, shift], matrix) for shift in shifts]
        return torch.stack(errors).amax(0)
