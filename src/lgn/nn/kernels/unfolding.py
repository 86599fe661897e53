"""The parts of an unfolded encoder that every kernel computes with."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from lgn.nn.kernels.adjoint import Margins


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

    def mixed(self, codes: Tensor, previous: Tensor, number: int) -> Tensor:
        """The input of a layer before normalisation."""
        ahead = self.ahead[number]
        return codes if ahead == 1 else torch.lerp(previous, codes, ahead)
