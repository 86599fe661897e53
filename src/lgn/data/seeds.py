"""Random numbers, orders and patches that depend on their purpose and a seed only."""

import hashlib

import torch
from torch import Tensor

from lgn.data.errors import DataError


def generator_for(purpose: str, *numbers: int) -> torch.Generator:
    """A CPU generator seeded by a purpose and some numbers.

    They are hashed, not added: with `seed + epoch`, seed 1 in epoch 0 would repeat seed 0 in epoch 1.
    """
    text = ":".join([purpose, *(str(int(number)) for number in numbers)])
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "big") >> 1)  # 63 bits, the most that torch accepts


def epoch_order(count: int, seed: int, epoch: int) -> Tensor:
    """The order in which an epoch visits `count` samples: a permutation that depends on the arguments only.

    Shapes: -> int64 (count,)
    """
    return torch.randperm(count, generator=generator_for("epoch", seed, epoch))


def patches(images: Tensor, size: int | tuple[int, int], count: int, seed: int) -> Tensor:
    """Draw `count` patches, uniformly over all images and positions (sec. 5.2).

    Shapes: (N, C, H, W) -> (count, C, n, m), of the same dtype.
    """
    if images.ndim != 4:
        raise DataError(f"images must be (N, C, H, W), got shape {tuple(images.shape)}")
    n, m = (size, size) if isinstance(size, int) else size
    number, channels, height, width = images.shape
    if not (1 <= n <= height and 1 <= m <= width):
        raise DataError(f"size must be at most {height}x{width}, the size of the images, got {n}x{m}")
    if count < 1 or number < 1:
        raise DataError(f"count and the number of images must be at least 1, got {count} and {number}")
    generator = generator_for("patches", seed)

    def draw(options: int) -> Tensor:
        return torch.randint(options, (count, 1, 1, 1), generator=generator).to(images.device)

    which, top, left = draw(number), draw(height - n + 1), draw(width - m + 1)
    channel = torch.arange(channels, device=images.device)[:, None, None]
    rows = top + torch.arange(n, device=images.device)[:, None]
    columns = left + torch.arange(m, device=images.device)
    return images[which, channel, rows, columns]  # the four indices broadcast to (count, C, n, m)
