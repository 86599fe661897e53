"""Filters as pictures for the page: small PNGs in the text of the page itself."""

from torch import Tensor

from lgn.text import png_address

SIDE = 56  # pixels of a picture, about
MOST_FILTERS = 160
CHANNELS = (1, 3)  # that are grey and colours


def can_be_shown(weights: Tensor) -> bool:
    """Whether a person can look at a bank: grey or colours, and not too many."""
    return weights.shape[1] in CHANNELS and len(weights) <= MOST_FILTERS


def pictures(weights: Tensor) -> list[str]:
    """A data address for each filter, zero in the middle of its grey, its own largest weight at the end.

    Shapes: (filters, channels, n, m), 1 or 3 channels.
    """
    largest = weights.flatten(1).abs().amax(1).clamp_min(1e-12).view(-1, 1, 1, 1)
    values = (weights.double() / largest + 1) / 2
    scale = max(1, SIDE // max(weights.shape[-2:]))
    enlarged = values.repeat_interleave(scale, -2).repeat_interleave(scale, -1)
    return [png_address(image.movedim(0, -1) if len(image) == 3 else image[0]) for image in enlarged]
