"""Correlation and convolution with a bank, as adjoints of each other (eq. 10).

`correlate` is `W^T * x`, from images to codes; `synthesise` is `W * z`, from codes to images. With zero padding,
`<W * z, x> = <z, W^T * x>` for any bank, image and code.
"""

from typing import NamedTuple

from torch import Tensor
from torch.nn import functional as F

from lgn.actions import Patch

CORRELATE = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
SYNTHESISE = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


class Margins(NamedTuple):
    """The zeros around an image, added before correlation and cropped after synthesis: one number per axis."""

    before: tuple[int, ...]
    after: tuple[int, ...]

    @classmethod
    def of(cls, padding: int | str, patch: Patch) -> "Margins":
        """The margins of a padding: a number of pixels, or "same", for which codes have the size of the image."""
        if padding == "same":
            return cls(tuple((n - 1) // 2 for n in patch), tuple(n // 2 for n in patch))
        if isinstance(padding, str) or not 0 <= padding < min(patch):
            raise ValueError(f"padding must be 'same' or from 0 to {min(patch) - 1}, got {padding!r}")
        return cls((padding,) * len(patch), (padding,) * len(patch))

    @property
    def symmetric(self) -> bool:
        return self.before == self.after

    @property
    def padded(self) -> list[int]:
        """The margins as `F.pad` takes them, the last axis first: left, right, top and bottom."""
        pairs = zip(reversed(self.before), reversed(self.after), strict=True)
        return [number for pair in pairs for number in pair]

    def code_size(self, image: Tensor, patch: Patch) -> Patch:
        """The sides of the codes of an image."""
        sides = zip(image.shape[-len(patch) :], self.before, self.after, patch, strict=True)
        return tuple(side + before + after - n + 1 for side, before, after, n in sides)

    def image_size(self, codes: Tensor, patch: Patch) -> Patch:
        """The sides of the image that codes represent."""
        sides = zip(codes.shape[-len(patch) :], self.before, self.after, patch, strict=True)
        return tuple(side - before - after + n - 1 for side, before, after, n in sides)


def correlate(image: Tensor, filters: Tensor, margins: Margins, bias: Tensor | None = None) -> Tensor:
    """`W^T * x`: correlate an image with each filter.  (N, C, H, W), (F, C, n, m) -> (N, F, H', W')"""
    convolve = CORRELATE[len(margins.before)]
    if margins.symmetric:
        return convolve(image, filters, bias, padding=margins.before)
    return convolve(F.pad(image, margins.padded), filters, bias)


def synthesise(codes: Tensor, filters: Tensor, margins: Margins) -> Tensor:
    """`W * z`: the sum of filters placed by the codes.  (N, F, H', W'), (F, C, n, m) -> (N, C, H, W)"""
    convolve = SYNTHESISE[len(margins.before)]
    if margins.symmetric:
        return convolve(codes, filters, padding=margins.before)
    image = convolve(codes, filters)
    for axis, (first, last) in enumerate(zip(*margins, strict=True), 2):
        image = image.narrow(axis, first, image.shape[axis] - first - last)
    return image
