"""Correlation and convolution with a bank, as adjoints of each other (eq. 10).

`correlate` is `W^T * x`, from images to codes; `synthesise` is `W * z`, from codes to images. With zero padding,
`<W * z, x> = <z, W^T * x>` for any bank, image and code.
"""

from typing import NamedTuple

from torch import Tensor
from torch.nn import functional as F


class Margins(NamedTuple):
    """Zeros added around an image before it is analysed, and cropped after synthesis."""

    top: int
    bottom: int
    left: int
    right: int

    @classmethod
    def of(cls, padding: int | str, patch: tuple[int, int]) -> "Margins":
        """From a number of pixels, or "same": codes of the image's size, the odd pixel after (n/2-1 before, n/2)."""
        n, m = patch
        if padding == "same":
            return cls((n - 1) // 2, n // 2, (m - 1) // 2, m // 2)
        if isinstance(padding, str) or not 0 <= padding < min(n, m):
            raise ValueError(f"padding must be 'same' or from 0 to {min(n, m) - 1}, got {padding!r}")
        return cls(padding, padding, padding, padding)

    @property
    def symmetric(self) -> bool:
        return self.top == self.bottom and self.left == self.right

    def code_size(self, image: Tensor, patch: tuple[int, ...]) -> tuple[int, int]:
        """The height and width of the codes of an image."""
        (height, width), (n, m) = image.shape[-2:], patch
        return height + self.top + self.bottom - n + 1, width + self.left + self.right - m + 1

    def image_size(self, codes: Tensor, patch: tuple[int, ...]) -> tuple[int, int]:
        """The height and width of the image that codes are of."""
        (height, width), (n, m) = codes.shape[-2:], patch
        return height + n - 1 - self.top - self.bottom, width + m - 1 - self.left - self.right


def correlate(image: Tensor, filters: Tensor, margins: Margins, bias: Tensor | None = None) -> Tensor:
    """`W^T * x`: correlate an image with each filter.  (N, C, H, W), (F, C, n, m) -> (N, F, H', W')"""
    if margins.symmetric:
        return F.conv2d(image, filters, bias, padding=(margins.top, margins.left))
    return F.conv2d(F.pad(image, (margins.left, margins.right, margins.top, margins.bottom)), filters, bias)


def synthesise(codes: Tensor, filters: Tensor, margins: Margins) -> Tensor:
    """`W * z`: the sum of filters placed where the codes say.  (N, F, H', W'), (F, C, n, m) -> (N, C, H, W)"""
    if margins.symmetric:
        return F.conv_transpose2d(codes, filters, padding=(margins.top, margins.left))
    image = F.conv_transpose2d(codes, filters)
    height, width = image.shape[-2] - margins.bottom, image.shape[-1] - margins.right
    return image[..., margins.top : height, margins.left : width]
