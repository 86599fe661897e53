"""Make the embedded set `digits` from MNIST: 500 train and 100 test images of each class, drawn by a fixed seed.

Run it as `python tools/make_digits.py`, with MNIST where `lgn.data.load` finds it (`LGN_DATA`). It writes the four
files into the package and prints their checksums, which `lgn.data.registry` holds. The same input gives the same files.
"""

import gzip
import hashlib
import os
from pathlib import Path

import torch

import lgn.data
from lgn.data.dataset import Split
from lgn.data.idx import encode_idx
from lgn.data.named import DIGITS_DIRECTORY
from lgn.data.seeds import generator_for

SEED = 0


def draw(split: Split, per_class: int, purpose: str) -> tuple[torch.Tensor, torch.Tensor]:
    """`per_class` images of every class, in a random order.  -> (N, 28, 28), (N,)"""
    assert split.labels is not None
    generator = generator_for(purpose, SEED)
    shuffled = torch.randperm(len(split), generator=generator)
    chosen = torch.cat([shuffled[split.labels[shuffled] == digit][:per_class] for digit in range(10)])
    chosen = chosen[torch.randperm(len(chosen), generator=generator)]
    return split.samples[chosen, 0], split.labels[chosen]


def write(path: Path, content: bytes) -> None:
    """Compressed, with no time or name in the header, so that the same content gives the same file."""
    temporary = path.with_name(f".{path.name}")
    temporary.write_bytes(gzip.compress(content, 9, mtime=0))
    os.replace(temporary, path)
    print(f"{path.name}: {path.stat().st_size} bytes, MD5 of the content {hashlib.md5(content).hexdigest()}")


def main() -> None:
    mnist = lgn.data.load("mnist", download=False)
    for prefix, split, per_class in (("train", mnist.train, 500), ("t10k", mnist.test, 100)):
        images, labels = draw(split, per_class, f"digits-{prefix}")
        write(DIGITS_DIRECTORY / f"{prefix}-images-idx3-ubyte.gz", encode_idx(images))
        write(DIGITS_DIRECTORY / f"{prefix}-labels-idx1-ubyte.gz", encode_idx(labels))


if __name__ == "__main__":
    main()
