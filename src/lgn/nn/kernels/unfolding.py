"""What the layers of an unfolded encoder are made of, whichever way they are computed."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn

from lgn.nn.kernels.adjoint import Margins


class Unfolding(NamedTuple):
    """The layers of one encoder. `filters` and the image carry the root of the step, `thresholds` the step.

    Layer `number` is given `v = ahead z + (1 - ahead) y` with `ahead[number]`, for the codes z and y of the two before,
    normalised by `norms[number - 1]` where there are any.

    Shapes: filters (layers or 1, F, C, n, m), thresholds (layers or 1, F)
    """

    filters: Tensor
    thresholds: Tensor
    two_sided: bool
    margins: Margins
    ahead: Sequence[float]
    norms: Sequence[nn.Module]

    def norm_before(self, number: int) -> nn.Module | None:
        """What normalises the codes that a layer is given; the first has none."""
        return self.norms[number - 1] if 0 < number <= len(self.norms) else None

    def mixed(self, codes: Tensor, previous: Tensor, number: int) -> Tensor:
        """The codes that a layer is given, before normalisation."""
        ahead = self.ahead[number]
        return codes if ahead == 1 else torch.lerp(previous, codes, ahead)
