"""Soft thresholding (eq. 4)."""

from torch import Tensor
from torch.nn import functional as F


def soft_threshold(u: Tensor, threshold: Tensor | float, *, two_sided: bool = True) -> Tensor:
    """`sign(u) relu(|u| - lambda)`, or `relu(u - lambda)` if one-sided (eq. 4). The threshold broadcasts.

    If two-sided, a negative threshold counts as zero, because the function would have a jump.
    """
    if not two_sided:
        return F.relu(u - threshold)
    threshold = threshold.clamp_min(0) if isinstance(threshold, Tensor) else max(threshold, 0.0)
    return F.relu(u - threshold) - F.relu(-u - threshold)
