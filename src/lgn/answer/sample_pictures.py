"""Pictures of samples in HTML: signals as lines, images as they are, volumes as slices."""

import torch
from torch import Tensor

from lgn.text import heat_map, png_address

#: The kinds of data that have pictures.
KINDS = ("images", "signals", "volumes")
WIDTH, HEIGHT = 160, 56


def sample(values: Tensor, largest: float) -> str:
    """A signal (C, T) by its first channel, an image (C, H, W), or a volume (C, D, H, W) by three slices."""
    if values.ndim == 2:
        return _line(values[0].double(), largest)
    if values.ndim == 3:
        low = min(float(values.min()), 0.0)
        pixels = (values.double() - low) / max(largest - low, 1e-12)
        return (
            f'<img src="{png_address(pixels.movedim(0, -1) if len(values) == 3 else pixels.mean(0))}" alt="an image">'
        )
    middle = [values[0].select(axis, values.shape[axis + 1] // 2) for axis in range(3)]
    return "".join(str(heat_map(slice_)) for slice_ in middle)


def _line(values: Tensor, largest: float) -> str:
    step, middle = WIDTH / max(len(values) - 1, 1), HEIGHT / 2
    heights = torch.nan_to_num(middle - values / largest * (middle - 2)).tolist()
    points = " ".join(f"{step * place:.1f},{height:.1f}" for place, height in enumerate(heights))
    return (
        f'<svg width="{WIDTH}" height="{HEIGHT}" role="img" aria-label="a signal of {len(values)} values">'
        f'<line x1="0" y1="{middle}" x2="{WIDTH}" y2="{middle}"/>'
        f'<polyline points="{points}" fill="none" stroke-width="1.2"/></svg>'
    )
