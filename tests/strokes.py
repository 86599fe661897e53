"""Images whose symmetries are known, for tests of several files."""

import torch
from torch import Tensor


def strokes(count: int, seed: int = 0) -> Tensor:
    """Bright L-shapes at random places, all upright: no turn and no flip keeps their law.  uint8 (N, 1, 10, 10)"""
    generator = torch.Generator().manual_seed(seed)
    images = 20 * torch.rand(count, 1, 10, 10, generator=generator)
    places = torch.randint(0, 3, (count, 2), generator=generator)
    lengths = torch.randint(4, 7, (count,), generator=generator)
    for image, (row, column), length in zip(images, places.tolist(), lengths.tolist(), strict=True):
        image[0, row : row + length, column : column + 2] += 200
        image[0, row + length - 2 : row + length, column : column + length // 2 + 2] += 30
    return images.clamp(0, 255).to(torch.uint8)


def turned(images: Tensor, seed: int = 1) -> tuple[Tensor, Tensor]:
    turns = torch.randint(4, (len(images),), generator=torch.Generator().manual_seed(seed))
    return torch.stack([torch.rot90(x, k, (-2, -1)) for x, k in zip(images, turns.tolist(), strict=True)]), turns
