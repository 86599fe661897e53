"""What computes a run: written down, since another is equal up to rounding only."""

import sys
from functools import partial

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
    return encoder.kernel(example, partial(print, file=sys.stderr, flush=True) if progress else None)
