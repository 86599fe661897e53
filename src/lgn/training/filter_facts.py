"""How large and how smooth filters are: what batch normalisation hides while it grows."""

import torch
from torch import Tensor, nn

from lgn.nn.bank import OrbitBank


@torch.no_grad()
def filter_facts(model: nn.Module) -> dict[str, float | list[float]]:
    """Of all sets of filters: the mean norm of their bases by layer, that of generators over an orthogonal one's, and
    the mean smoothness of filters. Empty where a model has no sets.
    """
    banks = [module for module in model.modules() if isinstance(module, OrbitBank)]
    if not banks:
        return {}
    norms = [bank.basis.double().flatten(1).norm(dim=1).view(bank.num_layers, -1).mean(1) for bank in banks]
    matrices = [each.matrix().double().flatten(0, -3) for bank in banks for each in bank.generators()]
    relative = [torch.linalg.matrix_norm(some) / some.shape[-1] ** 0.5 for some in matrices]
    smooth = [smoothness(bank().double(), len(bank.patch)).flatten() for bank in banks]
    return {
        "norms": [_short(norm) for norm in torch.cat(norms)],
        "generator_norm": _short(torch.cat(relative).mean()),
        "smoothness": _short(torch.cat(smooth).mean()),
    }


def smoothness(filters: Tensor, axes: int = 2) -> Tensor:
    """`sum x_i x_j / sum (x_i^2 + x_j^2) / 2` over pixels i and j beside each other, along all axes.

    0 on the average over white noise, 1 for a constant. Filters of 0 have 0.  (..., n, m) -> (...)
    """
    last = tuple(range(-axes, 0))
    products = squares = filters.new_zeros(filters.shape[:-axes])
    for axis in last:
        here, there = filters.narrow(axis, 0, filters.shape[axis] - 1), filters.narrow(axis, 1, filters.shape[axis] - 1)
        products = products + (here * there).sum(last)
        squares = squares + (here.square() + there.square()).sum(last) / 2
    return products / squares.clamp(min=torch.finfo(filters.dtype).tiny)


def _short(value: Tensor) -> float:
    """Six digits: it is read by people."""
    return float(f"{value.item():.6g}")
