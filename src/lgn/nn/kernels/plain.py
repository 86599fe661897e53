"""The layers of an unfolded encoder as plain expressions, which torch differentiates and compiles by itself."""

from torch import Tensor
from torch.nn import functional as F

from lgn.nn.kernels.adjoint import correlate, synthesise
from lgn.nn.kernels.unfolding import Unfolding
from lgn.nn.threshold import soft_threshold


class PlainLayers:
    """Layers by the book: the oracle of the others."""

    def __init__(self, of: Unfolding) -> None:
        self.of, self.two_sided, self.margins = of, of.two_sided, of.margins

    def __call__(self, u: Tensor | None, x: Tensor, number: int) -> Tensor:
        filters = self.of.filters[number % len(self.of.filters)]
        threshold = self.of.thresholds[number % len(self.of.thresholds)].view(-1, *(1,) * (x.ndim - 2))
        if u is None:  # z = 0: there is nothing to decode
            return soft_threshold(correlate(x, filters, self.margins), threshold, two_sided=self.two_sided)
        residual = x - synthesise(u, filters, self.margins)
        return soft_threshold(u + correlate(residual, filters, self.margins), threshold, two_sided=self.two_sided)

    def pooled(self, u: Tensor | None, x: Tensor, number: int, cells: int) -> Tensor:
        return F.adaptive_avg_pool2d(self(u, x, number), cells)

    def image(self, x: Tensor) -> Tensor:
        return x

    def given(self, codes: Tensor, previous: Tensor, number: int) -> Tensor:
        mixed, norm = self.of.mixed(codes, previous, number), self.of.norm_before(number)
        return mixed if norm is None else norm(mixed)
