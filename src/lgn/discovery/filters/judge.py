"""Is one way of training better than another? Asked of fresh seeds and of images that chose nothing."""

from typing import NamedTuple

import torch
from torch import Tensor

# Note [Two variances]
# How well a kind of network does is known through a few runs and a few images, and both can be lucky. Over runs, the
# variance of the difference of two means is (v_ours + v_control) / seeds; it sees what a seed changes, and not that the
# images at hand may suit one kind. Over images, it is the variance of the mean difference of an image, divided by the
# images; it sees that, and not that all runs of a kind may have been lucky. The larger of the two decides, with
# Student's t for the freedom that the runs leave.


class Judgement(NamedTuple):
    """How much better, how well that is known, and how often chance gives as much: (...)."""

    advantage: Tensor
    standard_error: Tensor
    p_value: Tensor


def judge(ours: Tensor, control: Tensor) -> Judgement:
    """Runs of two kinds on the same images: is ours right more often? See Note [Two variances].

    `p = P(T > advantage / standard error)`, Student's t with `2 (seeds - 1)` degrees of freedom, one-sided.

    Shapes: whether each image was right, two of (..., seeds, images) -> (...)
    """
    if ours.shape != control.shape or ours.ndim < 2 or min(ours.shape[-2:]) < 2:
        raise ValueError(
            "ours and control must both be (..., seeds, images), at least 2 of each, "
            f"got {tuple(ours.shape)} and {tuple(control.shape)}"
        )
    from scipy.stats import t as student

    ours, control = ours.double(), control.double()
    seeds, images = ours.shape[-2:]
    difference = ours.mean(-2) - control.mean(-2)  # (..., images)
    advantage = difference.mean(-1)
    over_seeds = (ours.mean(-1).var(-1) + control.mean(-1).var(-1)) / seeds
    over_images = difference.var(-1) / images
    error = torch.maximum(over_seeds, over_images).sqrt()
    size = torch.where(advantage == 0, advantage, advantage / error)  # equal networks: nothing over nothing is nothing
    return Judgement(advantage, error, torch.as_tensor(student.sf(size.numpy(), 2 * (seeds - 1)), dtype=ours.dtype))
