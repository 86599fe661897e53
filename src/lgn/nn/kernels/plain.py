"""The layers of an unfolded encoder as plain expressions, which torch differentiates and compiles by itself."""

from torch import Tensor, nn

from lgn.nn.kernels.adjoint import Margins, correlate, synthesise
from lgn.nn.threshold import soft_threshold


class PlainLayers:
    """Layers by the book: the oracle of the others."""

    def __init__(self, filters: Tensor, thresholds: Tensor, two_sided: bool, margins: Margins) -> None:
        self.filters, self.thresholds, self.two_sided, self.margins = filters, thresholds, two_sided, margins

    def __call__(self, u: Tensor | None, x: Tensor, number: int) -> Tensor:
        filters = self.filters[number % len(self.filters)]
        threshold = self.thresholds[number % len(self.thresholds)].view(-1, *(1,) * (x.ndim - 2))
        if u is None:  # z = 0: there is nothing to decode
            return soft_threshold(correlate(x, filters, self.margins), threshold, two_sided=self.two_sided)
        residual = x - synthesise(u, filters, self.margins)
        return soft_threshold(u + correlate(residual, filters, self.margins), threshold, two_sided=self.two_sided)

    def image(self, x: Tensor) -> Tensor:
        return x

    def following(self, codes: Tensor, norm: nn.Module | None) -> Tensor:
        return codes if norm is None else norm(codes)
