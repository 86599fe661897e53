"""The layers of an unfolded encoder as plain expressions, which torch differentiates and compiles by itself."""

from torch import Tensor
from torch.nn import functional as F

from lgn.nn.kernels.adjoint import correlate, synthesise
from lgn.nn.kernels.unfolding import Unfolding
from lgn.nn.threshold import soft_threshold


class PlainLayers:
    """Layers as in the paper: the reference of the other kernels."""

    def __init__(self, unfolding: Unfolding) -> None:
        self.unfolding, self.two_sided, self.margins = unfolding, unfolding.two_sided, unfolding.margins

    def __call__(self, u: Tensor | None, x: Tensor, number: int) -> Tensor:
        filters = self.unfolding.filters[number % len(self.unfolding.filters)]
        threshold = self.unfolding.thresholds[number % len(self.unfolding.thresholds)].view(-1, *(1,) * (x.ndim - 2))
        if u is None:  # z = 0: there is nothing to decode
            return soft_threshold(correlate(x, filters, self.margins), threshold, two_sided=self.two_sided)
        residual = x - synthesise(u, filters, self.margins)
        return soft_threshold(u + correlate(residual, filters, self.margins), threshold, two_sided=self.two_sided)

    def pooled(self, u: Tensor | None, x: Tensor, number: int, cells: int) -> Tensor:
        return F.adaptive_avg_pool2d(self(u, x, number), cells)

    def image(self, x: Tensor) -> Tensor:
        return x

    def layer_input(self, codes: Tensor, previous: Tensor, number: int) -> Tensor:
        mixed, norm = self.unfolding.mixed(codes, previous, number), self.unfolding.norm_before(number)
        return mixed if norm is None else norm(mixed)
