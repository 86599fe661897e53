"""What computes a run: written down, since another is equal up to rounding only."""

import sys

import torch
from torch import nn

from lgn.nn import UnfoldedEncoder
from lgn.training.prepared import Images
from lgn.training.processes import Processes


def kernel_of(model: nn.Module, group: Processes, images: Images, progress: bool) -> str:
    """`native`, `fast` or `plain`, compiled now if need be, with a word, and not in silence within the first step."""
    encoder = getattr(model, "encoder", None)
    if not isinstance(encoder, UnfoldedEncoder):
        return "plain"
    example, _ = images.batch("train", torch.arange(1), group.device)
    return encoder.kernel(example, _say if progress else None)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
