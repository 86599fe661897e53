"""The matrices that a generator can start from, and who has one of their own."""

from collections.abc import Sequence
from typing import Literal, get_args

import torch
from torch import Tensor

Share = Literal["channel", "set", "layer", "network"]
StartName = Literal["orthogonal", "gaussian", "identity"]
#: A start by name, a matrix (or one for each of those that have their own), or one for each generator of a group.
Start = StartName | Tensor | Sequence[Tensor]


def leading_shape(share: Share, num_sets: int, channels: int, num_layers: int = 1) -> tuple[int, int]:
    """How many matrices there are: one per `share` of a bank with `num_layers * num_sets` sets.

    channel: (layers * sets, channels);  set: (layers * sets, 1);  layer: (layers, 1);  network: (1, 1)
    """
    if share not in get_args(Share):
        raise ValueError(f"share must be one of {', '.join(get_args(Share))}, got {share!r}")
    shapes = {
        "channel": (num_layers * num_sets, channels),
        "set": (num_layers * num_sets, 1),
        "layer": (num_layers, 1),
        "network": (1, 1),
    }
    return shapes[share]


def start_matrices(
    start: Start,
    leading: tuple[int, int],
    d: int,
    *,
    noise: float = 0.01,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> Tensor:
    """The start of a generator, by name or given.  -> (*leading, d, d)

    orthogonal: uniform over the orthogonal group;  gaussian: independent entries, scaled to a Frobenius norm of 1;
    identity: I plus Gaussian noise of standard deviation `noise`;  a tensor is repeated over `leading`;  of several,
    each is repeated over its part of `leading`, for groups with several generators.

    A tensor takes `dtype` like the others, torch's default where none is given: layers have one type throughout.
    """
    if not isinstance(start, Tensor | str):
        rows = (leading[0] // len(start), leading[1])
        return torch.cat([start_matrices(each, rows, d, dtype=dtype, device=device) for each in start])
    if isinstance(start, Tensor):
        return _given(start.to(device=device, dtype=dtype or torch.get_default_dtype()), leading)
    gaussian = torch.randn(*leading, d, d, dtype=dtype, device=device)
    if start == "orthogonal":
        q, r = torch.linalg.qr(gaussian)
        # QR alone is not uniform: the signs of R's diagonal must be moved into Q.
        return q * r.diagonal(dim1=-2, dim2=-1).sign().unsqueeze(-2)
    if start == "gaussian":
        return gaussian / torch.linalg.matrix_norm(gaussian, keepdim=True)
    if start == "identity":
        return torch.eye(d, dtype=dtype, device=device) + noise * gaussian
    raise ValueError(f"start must be a matrix or one of {', '.join(get_args(StartName))}, got {start!r}")


def _given(matrix: Tensor, leading: tuple[int, int]) -> Tensor:
    if matrix.ndim < 2 or matrix.shape[-2] != matrix.shape[-1]:
        raise ValueError(f"start must be a square matrix or a batch of them, got shape {tuple(matrix.shape)}")
    shape = (*leading, *matrix.shape[-2:])
    try:
        return matrix.expand(shape).clone()
    except RuntimeError:
        raise ValueError(f"start must fit {shape}, got shape {tuple(matrix.shape)}") from None
