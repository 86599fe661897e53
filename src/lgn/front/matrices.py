"""Matrices from files of others."""

from pathlib import Path

import numpy as np
import torch
from torch import Tensor


def read_matrices(path: Path) -> Tensor:
    """Square matrices from .npy or .npz, all arrays of it, (G, d, d). No code is read."""
    try:
        content = np.load(path, allow_pickle=False)
        arrays = [content[name] for name in content.files] if hasattr(content, "files") else [content]
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"{path} must be an .npy or .npz file of numbers: {error}") from None
    found = [torch.as_tensor(array) for array in arrays if array.ndim >= 2 and array.shape[-1] == array.shape[-2]]
    if not found or len({matrix.shape[-1] for matrix in found}) > 1:
        raise ValueError(f"{path} must hold square matrices of one size, got {[array.shape for array in arrays]}")
    return torch.cat([matrix.reshape(-1, *matrix.shape[-2:]).double() for matrix in found])
