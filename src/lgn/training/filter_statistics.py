"""Norm and smoothness of filters: batch normalisation hides their growth from the loss."""

import torch
from torch import Tensor, nn

from lgn.nn.bank import OrbitBank


@torch.no_grad()
def filter_statistics(model: nn.Module) -> dict[str, float | list[float]]:
    """Statistics over all filter sets of a model: empty if it has none.

    `norms` has the mean norm of the basis filters of each layer, `generator_norm` the mean norm of the generators
    divided by that of an orthogonal matrix, `smoothness` the mean smoothness of the filters.
    """
    banks = [module for module in model.modules() if isinstance(module, OrbitBank)]
    if not banks:
        return {}
    # float64 on the CPU, since not every device has it.
    norms = [bank.basis.cpu().double().flatten(1).norm(dim=1).view(bank.num_layers, -1).mean(1) for bank in banks]
    matrices = [generator.matrix().cpu().double().flatten(0, -3) for bank in banks for generator in bank.generators()]
    relative = [torch.linalg.matrix_norm(batch) / batch.shape[-1] ** 0.5 for batch in matrices]
    smooth = [smoothness(bank().cpu().double(), len(bank.patch)).flatten() for bank in banks]
    return {
        "norms": [_rounded(norm) for norm in torch.cat(norms)],
        "generator_norm": _rounded(torch.cat(relative).mean()),
        "smoothness": _rounded(torch.cat(smooth).mean()),
    }


def smoothness(filters: Tensor, axes: int = 2) -> Tensor:
    """`sum x_i x_j / sum (x_i^2 + x_j^2) / 2` over all neighbouring pixels i and j along every axis.

    It is 1 for a constant filter, 0 on average for white noise, and 0 for a filter of zeros.  (..., n, m) -> (...)
    """
    last = tuple(range(-axes, 0))
    products = squares = filters.new_zeros(filters.shape[:-axes])
    for axis in last:
        size = filters.shape[axis] - 1
        first, second = filters.narrow(axis, 0, size), filters.narrow(axis, 1, size)
        products = products + (first * second).sum(last)
        squares = squares + (first.square() + second.square()).sum(last) / 2
    return products / squares.clamp(min=torch.finfo(filters.dtype).tiny)


def _rounded(value: Tensor) -> float:
    """Six significant digits."""
    return float(f"{float(value):.6g}")
