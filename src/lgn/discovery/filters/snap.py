"""From a matrix that was fitted to the exact one that it is near: orthogonal, of finite order, a permutation."""

from typing import Literal, get_args

import torch
from torch import Tensor

from lgn.generators import Cyclic
from lgn.linalg import nearest_permutation, polar_factor

Snap = Literal["none", "orthogonal", "roots", "permutation"]


def snap(matrix: Tensor, kind: Snap, order: int = 4) -> Tensor:
    """The member of a set near a fitted matrix.  (d, d) -> (d, d)

    orthogonal: the polar factor, the nearest;  roots: eigenvalues rounded to p-th roots of unity, so that `A^p = I`
    (as `Cyclic` starts);  permutation: the nearest permutation of pixels.
    """
    if kind not in get_args(Snap):
        raise ValueError(f"snap must be one of {', '.join(get_args(Snap))}, got {kind!r}")
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"matrix must be (d, d), got shape {tuple(matrix.shape)}")
    if kind == "orthogonal":
        return polar_factor(matrix)
    if kind == "permutation":
        return nearest_permutation(matrix)
    if kind == "roots":
        with torch.no_grad():
            return Cyclic(matrix[None, None], (len(matrix), 1), order).matrix()[0, 0]
    return matrix
