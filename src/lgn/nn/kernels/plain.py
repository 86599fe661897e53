"""The layers of an unfolded encoder as plain expressions, which torch differentiates and compiles by itself."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.nn.kernels.adjoint import Margins, correlate, synthesise


class Unfolding(NamedTuple):
    """The layers of one encoder. `filters` and the image carry the root of the step, `thresholds` the step.

    The input of layer `number` is `v = ahead z + (1 - ahead) y` with `ahead[number]`, for the codes z and y of the two
    layers before it, normalised by `norms[number - 1]` if there are norms.

    Shapes: filters (layers or 1, F, C, n, m), thresholds (layers or 1, F)
    """

    filters: Tensor
    thresholds: Tensor
    two_sided: bool
    margins: Margins
    ahead: Sequence[float]
    norms: Sequence[nn.Module]

    def norm_before(self, number: int) -> nn.Module | None:
        """The normalisation of the input of a layer; the first layer has none."""
        return self.norms[number - 1] if 0 < number <= len(self.norms) else None


def soft_threshold(u: Tensor, threshold: Tensor | float, *, two_sided: bool = True) -> Tensor:
    """`sign(u) relu(|u| - lambda)`, or `relu(u - lambda)` if one-sided (eq. 4). The threshold broadcasts.

    If two-sided, a negative threshold counts as zero, because the function would have a jump.
    """
    if not two_sided:
        return F.relu(u - threshold)
    threshold = threshold.clamp_min(0) if isinstance(threshold, Tensor) else max(threshold, 0.0)
    return F.relu(u - threshold) - F.relu(-u - threshold)


class PlainLayers:
    """Layers as in the paper: the reference of the other kernels."""

    def __init__(self, unfolding: Unfolding) -> None:
        self.unfolding, self.two_sided, self.margins = unfolding, unfolding.two_sided, unfolding.margins

    def __call__(self, u: Tensor | None, x: Tensor, number: int) -> Tensor:
        """The codes of a layer; u is None for the first layer, which begins at z = 0."""
        filters = self.unfolding.filters[number % len(self.unfolding.filters)]
        threshold = self.unfolding.thresholds[number % len(self.unfolding.thresholds)].view(-1, *(1,) * (x.ndim - 2))
        if u is None:
            return soft_threshold(correlate(x, filters, self.margins), threshold, two_sided=self.two_sided)
        residual = x - synthesise(u, filters, self.margins)
        return soft_threshold(u + correlate(residual, filters, self.margins), threshold, two_sided=self.two_sided)

    def pooled(self, u: Tensor | None, x: Tensor, number: int, cells: int) -> Tensor:
        """The codes of the last layer, averaged over a grid of `cells x cells`."""
        return F.adaptive_avg_pool2d(self(u, x, number), cells)

    def image(self, x: Tensor) -> Tensor:
        """The image in the memory layout of these layers."""
        return x

    def layer_input(self, codes: Tensor, previous: Tensor, number: int) -> Any:
        """The input of a layer from the codes of the two layers before it, with momentum and normalisation."""
        ahead, norm = self.unfolding.ahead[number], self.unfolding.norm_before(number)
        mixed = codes if ahead == 1 else torch.lerp(previous, codes, ahead)
        return mixed if norm is None else norm(mixed)
