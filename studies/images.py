"""The images that studies plant symmetries in."""

from functools import cache

import torch
from torch import Tensor

import lgn.data


@cache
def training_images(source: str, colour: bool = False) -> Tensor:
    """The training images of a set, uint8 (N, C, H, W), grey unless `colour`."""
    images = lgn.data.load(source, download=False).train.samples
    return images if colour else images.float().mean(1, keepdim=True).to(torch.uint8)


@cache
def labelled_images(source: str) -> tuple[Tensor, Tensor]:
    """The training and test images of a set together, with their labels."""
    both = lgn.data.load(source, download=False)
    assert both.train.labels is not None
    assert both.test.labels is not None
    return torch.cat([both.train.samples, both.test.samples]), torch.cat([both.train.labels, both.test.labels])
