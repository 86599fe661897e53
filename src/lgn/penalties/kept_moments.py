"""`KeptMoments`: a penalty for generators that are not symmetries of images and labels."""

import torch
from torch import Tensor, nn

from lgn.actions import size_text
from lgn.penalties.patch_moments import PatchMoments
from lgn.penalties.penalty import Penalty


class KeptMoments(Penalty):
    """`mu * sum over generators and degrees l of |A . M_l - M_l|^2 / 2 |M_l|^2`: A keeps the moments of patches.

    M_1 and M_2 are the means and covariances of the whitened patches of each class, and M_3 the third moments of their
    directions; without labels, only M_3 is used. Every trained generator is compared with the patches of its own size.
    A generator on channels is compared with the colours of pixels. Give training images only.
    See Note [Moments that a symmetry keeps] in `lgn.penalties.patch_moments`.

    The identity keeps everything. The families `cyclic` and `representation` exclude the identity; other families may
    learn it.
    """

    def __init__(
        self, model: nn.Module, images: Tensor, labels: Tensor | None = None, weight: float = 1.0, *, seed: int = 0
    ) -> None:
        super().__init__(model, weight)
        patches = dict.fromkeys(generator.patch for generator in self.generators)
        self.moments = nn.ModuleDict(
            {size_text(patch): PatchMoments(images, labels, patch, seed=seed) for patch in patches}
        ).to(self.generators[0].matrix().dtype)

    def value(self) -> Tensor:
        return torch.stack([violation.sum() for violation in self.violations().values()]).sum()

    def violations(self) -> dict[str, Tensor]:
        """The violation of each matrix, summed over degrees, by patch size: {"5x5": (count,)}."""
        batches: dict[str, list[Tensor]] = {}
        for generator in self.generators:
            batches.setdefault(size_text(generator.patch), []).append(generator.matrix().flatten(0, 1))
        return {size: self.moments[size](torch.cat(batch)).sum(0) for size, batch in batches.items()}
