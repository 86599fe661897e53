"""Random numbers that are a function of what they are for, and of nothing else."""

import hashlib

import torch


def generator_for(purpose: str, *numbers: int) -> torch.Generator:
    """A CPU generator seeded from a purpose and some numbers.

    Hashed rather than added: with `seed + epoch`, seed 1 in epoch 0 would repeat seed 0 in epoch 1.
    """
    text = ":".join([purpose, *(str(int(number)) for number in numbers)])
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return torch.Generator().manual_seed(int.from_bytes(digest, "big") >> 1)  # 63 bits: what torch takes
