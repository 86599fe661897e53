"""The largest step size at which ISTA converges."""

import torch
from torch import Tensor

from lgn.actions import Patch


@torch.no_grad()
def largest_eigenvalue(filters: Tensor, image_size: Patch) -> Tensor:
    """An upper bound of `sigma_max(W^T W)` for images of the given size, zero-padded.

    Convolution with zero padding is a part of circular convolution on a grid of H + n - 1 by W + m - 1, which is
    diagonal in frequency. The bound is the largest squared singular value of the (F, C) matrices of the filters'
    transforms.

    Shapes: (layers, F, C, n, m) -> (layers,)
    """
    grid = [side + n - 1 for side, n in zip(image_size, filters.shape[3:], strict=True)]
    axes = tuple(range(3, filters.ndim))
    transform = torch.fft.rfftn(filters, s=grid, dim=axes).flatten(3)  # (layers, F, C, frequencies)
    gram = torch.einsum("lfcw,lfdw->lwcd", transform.conj(), transform)  # (layers, frequencies, C, C)
    if gram.shape[-1] == 1:
        return gram.real.flatten(1).amax(1)
    return torch.linalg.eigvalsh(gram).flatten(1).amax(1)
