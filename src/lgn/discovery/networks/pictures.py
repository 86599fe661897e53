"""Filters as pictures for the page: small PNGs in the text of the page itself."""

import base64
import io

import torch
from torch import Tensor

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
    from PIL import Image

    largest = weights.flatten(1).abs().amax(1).clamp_min(1e-12).view(-1, 1, 1, 1)
    levels = ((weights.double() / largest + 1) * 127.5).round().to(torch.uint8)
    scale = max(1, SIDE // max(weights.shape[-2:]))
    found = []
    for filter_ in levels.repeat_interleave(scale, -2).repeat_interleave(scale, -1):
        array = filter_.permute(1, 2, 0).contiguous().numpy()
        image = Image.fromarray(array[:, :, 0] if array.shape[2] == 1 else array)
        content = io.BytesIO()
        image.save(content, format="PNG", optimize=True)
        found.append("data:image/png;base64," + base64.b64encode(content.getvalue()).decode())
    return found
