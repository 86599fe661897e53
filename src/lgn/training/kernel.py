"""What computes a run: written down, since another is equal up to rounding only."""

import sys

import torch
from torch import nn

from lgn.nn import UnfoldedEncoder
from lgn.training.config import Config
from lgn.training.prepared import Images
from lgn.training.processes import Processes


def kernel_of(config: Config, model: nn.Module, group: Processes, images: Images, progress: bool) -> str:
    """`native`, `fast` or `plain`, compiled now if need be, with a word, and not in silence within the first step."""
    encoder = getattr(model, "encoder", None)
    if not isinstance(encoder, UnfoldedEncoder):
        return "plain"
    dtype = torch.float64 if config.precision == "float64" else torch.float32
    example, _ = images.batch("train", torch.arange(1), group.device, dtype)
    with torch.autocast(group.device.type, torch.bfloat16, enabled=config.precision == "bfloat16"):
        return encoder.kernel(example, _say if progress else None)


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()
