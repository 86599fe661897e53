"""Random numbers that depend on their purpose and a seed only."""

import hashlib

import torch
from torch import Tensor


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
