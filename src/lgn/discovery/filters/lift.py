"""Lifting: a bank that was trained free becomes orbits of the generator that it shows."""

import copy
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lgn.actions import unvec, vec
from lgn.discovery.filters.fit import Fit, Method, fit_generator
from lgn.discovery.filters.group_fit import GroupFit
from lgn.discovery.filters.snap import Snap, snap
from lgn.groups import Group, chosen_group
from lgn.nn import FreeBank, OrbitBank, UnfoldedEncoder


@dataclass(frozen=True, eq=False)
class Lifted:
    """A copy of a model with orbits in place of its free filters, and what was fitted in each layer."""

    model: nn.Module
    fits: tuple[Fit | GroupFit, ...]
    #: `|orbits - free filters|_F / |free filters|_F` of each layer: what lifting changed.
    distances: tuple[float, ...]


def lift(
    model: nn.Module,
    *,
    method: Method = "least-squares",
    snap_to: Snap = "none",
    freeze: bool = True,
) -> Lifted:
    """Fit a generator to the free filters of each layer, snap it, and make orbits of it; then refine by training on.

    With `freeze` the generators are fixed and only the bases learn on; else they are dense, and
    `parameter_groups` can make them slow. The model must hold an encoder with generator="free"; of a
    group with several generators, all are fitted with its relations, and `snap_to` must be "none".
    """
    lifted = copy.deepcopy(model)
    encoders = [module for module in lifted.modules() if isinstance(module, UnfoldedEncoder)]
    free = [encoder for encoder in encoders if isinstance(encoder.bank, FreeBank)]
    if not free:
        raise ValueError("model must hold an UnfoldedEncoder with generator='free', got none")
    fits: list[Fit | GroupFit] = []
    distances: list[float] = []
    for encoder in free:
        layers = encoder.filters().detach()  # (layers, sets * order, channels, n, m)
        parts = [_lifted(bank, encoder.group, method, snap_to) for bank in layers]
        matrices = torch.stack([several for _, several, _ in parts], 1).to(layers).unsqueeze(2)
        orbits = OrbitBank(
            layers.shape[2],
            encoder.num_sets,
            (layers.shape[3], layers.shape[4]),
            group=encoder.group,
            num_layers=len(layers),
            generator="fixed" if freeze else "dense",
            share="layer",
            start=list(matrices),
            device=layers.device,
            dtype=layers.dtype,
        )
        with torch.no_grad():
            orbits.basis.copy_(torch.cat([basis for _, _, basis in parts]))
            change = (orbits().unflatten(0, (len(layers), -1)) - layers).flatten(1).norm(dim=1)
        encoder.bank = orbits
        fits += [fit for fit, _, _ in parts]
        distances += (change / layers.flatten(1).norm(dim=1)).tolist()
    return Lifted(lifted, tuple(fits), tuple(distances))


def lift_bank(
    bank: Tensor, order: int, method: Method = "least-squares", snap_to: Snap = "none"
) -> tuple[Fit | GroupFit, Tensor, Tensor]:
    """The generator of a bank, snapped, and the bases whose orbits are nearest to the bank.

    The basis of a set minimises `sum_j |A^j W - b_j|^2`: least squares against the stacked powers of A.

    Shapes: (sets * order, channels, n, m) -> fit, (d, d), (sets, channels, n, m)
    """
    fit, (matrix,), bases = _lifted(bank, chosen_group(order, None), method, snap_to)
    return fit, matrix, bases


def _lifted(bank: Tensor, group: Group, method: Method, snap_to: Snap) -> tuple[Fit | GroupFit, Tensor, Tensor]:
    """The same for each generator of a group, (generators, d, d)."""
    fit: Fit | GroupFit
    if len(group.generators) == 1:
        fit = fit_generator(bank, group.order, method)
        matrices = snap(fit.matrix, snap_to, group.order)[None]
    else:
        if snap_to != "none":
            raise ValueError(f"snap_to must be 'none' for {group.name}, which is exact, got {snap_to!r}")
        fit = fit_generator(bank, group=group, method="unordered" if method == "unordered" else "relations")
        matrices = fit.matrices
    elements = group.representation(matrices)  # (order, d, d)
    filters = bank.detach().double().unflatten(0, (-1, len(elements)))
    filters = filters[torch.arange(len(filters))[:, None], fit.arrangement]
    stacked = vec(filters).transpose(1, 2).flatten(2)  # (sets, channels, order * d)
    bases = stacked @ torch.linalg.pinv(elements.flatten(0, 1)).mT
    return fit, matrices, unvec(bases, (bank.shape[-2], bank.shape[-1])).to(bank)
