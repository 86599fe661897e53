"""`KeptMoments`: a generator is encouraged to be a symmetry of images and labels."""

import torch
from torch import Tensor, nn

from lgn.actions import written
from lgn.penalties.base import Penalty
from lgn.penalties.patch_moments import PatchMoments


class KeptMoments(Penalty):
    """`mu * sum over generators and degrees l of |A . M_l - M_l|^2 / 2 |M_l|^2`: A keeps the moments of patches.

    M_1 and M_2 are the mean and covariance of the whitened patches of each class, M_3 the third moments of their
    directions; without labels M_3 alone is left. Every generator that is trained is asked to keep the patches of its
    own size, of the images given here: give training images alone. A generator on channels keeps the colours of pixels.
    See Note [Moments that a symmetry keeps] in `lgn.penalties.patch_moments`.

    The identity keeps everything. Families that cannot be it, `cyclic` and `representation`, learn a symmetry or find
    none; others may learn the identity.
    """

    def __init__(
        self, model: nn.Module, images: Tensor, labels: Tensor | None = None, weight: float = 1.0, *, seed: int = 0
    ) -> None:
        super().__init__(model, weight)
        patches = dict.fromkeys(generator.patch for generator in self.generators)
        self.moments = nn.ModuleDict(
            {written(patch): PatchMoments(images, labels, patch, seed=seed) for patch in patches}
        ).to(self.generators[0].matrix().dtype)

    def forward(self) -> Tensor:
        return self.weight * torch.stack([each.sum() for each in self.violations().values()]).sum()

    def violations(self) -> dict[str, Tensor]:
        """What each matrix does not keep, by patch size, all degrees together: {"5x5": (count,)}."""
        batches: dict[str, list[Tensor]] = {}
        for generator in self.generators:
            batches.setdefault(written(generator.patch), []).append(generator.matrix().flatten(0, 1))
        return {key: self.moments[key](torch.cat(batch)).sum(0) for key, batch in batches.items()}
