"""Starting matrices of generators, and how sets and channels share generators."""

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from torch import Tensor

Share = Literal["channel", "set", "layer", "network"]
StartName = Literal["orthogonal", "gaussian", "identity"]
#: A start by name, a matrix or a batch of matrices, or a list with the matrices of each generator of a group.
Start = StartName | Tensor | Sequence[Tensor]


def leading_shape(share: Share, num_sets: int, channels: int, num_layers: int = 1) -> tuple[int, int]:
    """The number of matrices: one per `share` of a bank with `num_layers * num_sets` sets."""
    shapes = {
        "channel": (num_layers * num_sets, channels),
        "set": (num_layers * num_sets, 1),
        "layer": (num_layers, 1),
        "network": (1, 1),
    }
    if share not in shapes:
        raise ValueError(f"share must be one of {', '.join(shapes)}, got {share!r}")
    return shapes[share]


def start_matrices(
    start: Start,
    leading: tuple[int, int],
    d: int,
    *,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> Tensor:
    """The starting matrices of a generator, by name or given.  -> (*leading, d, d)

    - "orthogonal": uniform over the orthogonal group
    - "gaussian": independent entries, scaled to a Frobenius norm of 1
    - "identity": I plus Gaussian noise of standard deviation 0.01
    - a tensor: repeated over `leading`
    - a list of tensors, one for each generator of a group: repeated over the parts of `leading`

    The type is `dtype`, or torch's default, for given tensors too.
    """
    if not isinstance(start, Tensor | str):
        rows = (leading[0] // len(start), leading[1])
        return torch.cat([start_matrices(matrix, rows, d, dtype=dtype, device=device) for matrix in start])
    if isinstance(start, Tensor):
        if start.ndim < 2 or start.shape[-2] != start.shape[-1]:
            raise ValueError(f"start must be a square matrix or a batch of them, got shape {tuple(start.shape)}")
        shape = (*leading, *start.shape[-2:])
        try:
            return start.to(device=device, dtype=dtype or torch.get_default_dtype()).expand(shape).clone()
        except RuntimeError:
            raise ValueError(f"start must fit {shape}, got shape {tuple(start.shape)}") from None
    gaussian = torch.randn(*leading, d, d, dtype=dtype, device=device)
    if start == "orthogonal":
        q, r = torch.linalg.qr(gaussian)
        # Q is uniform after the signs of R's diagonal have moved into it.
        return q * r.diagonal(dim1=-2, dim2=-1).sign().unsqueeze(-2)
    if start == "gaussian":
        return gaussian / torch.linalg.matrix_norm(gaussian, keepdim=True)
    if start == "identity":
        return torch.eye(d, dtype=dtype, device=device) + 0.01 * gaussian
    raise ValueError(f"start must be a matrix or one of {', '.join(get_args(StartName))}, got {start!r}")
