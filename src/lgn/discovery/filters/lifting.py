"""Lifting: the free filters of a trained model become orbits of the generators that were fitted to them."""

import copy

import torch
from torch import Tensor, nn

from lgn.actions import unvec, vec
from lgn.discovery.filters.arranging import in_order
from lgn.discovery.filters.from_bank import fit_generator
from lgn.discovery.filters.record import Fit, Method
from lgn.nn import FreeBank, OrbitBank, UnfoldedEncoder


def lift(model: nn.Module, *, method: Method | None = None, freeze: bool = True) -> tuple[nn.Module, tuple[Fit, ...]]:
    """A copy of the model with orbits in place of its free filters, and the fit of each layer.

    The bases of the orbits minimise `sum_j |A^j W - b_j|^2` over the filters b_j of a set. With `freeze`, the
    generators are fixed and only the bases can be trained; otherwise the generators are dense. The model must have an
    encoder with `generator="free"`. `method` is an argument of `fit_generator`.
    """
    lifted = copy.deepcopy(model)
    encoders = [module for module in lifted.modules() if isinstance(module, UnfoldedEncoder)]
    free = [encoder for encoder in encoders if isinstance(encoder.bank, FreeBank)]
    if not free:
        raise ValueError("model must have an UnfoldedEncoder with generator='free', got none")
    fits: list[Fit] = []
    for encoder in free:
        layers = encoder.filters().detach()  # (layers, sets * order, channels, n, m)
        own = [fit_generator(bank, group=encoder.group, method=method) for bank in layers]
        orbits = OrbitBank(
            layers.shape[2],
            encoder.num_sets,
            (layers.shape[3], layers.shape[4]),
            group=encoder.group,
            num_layers=len(layers),
            generator="fixed" if freeze else "dense",
            share="layer",
            start=list(torch.stack([fit.matrices for fit in own], 1).to(layers).unsqueeze(2)),
            device=layers.device,
            dtype=layers.dtype,
        )
        with torch.no_grad():
            orbits.basis.copy_(torch.cat([_bases(bank, fit) for bank, fit in zip(layers, own, strict=True)]))
        encoder.bank = orbits
        fits += own
    return lifted, tuple(fits)


def _bases(bank: Tensor, fit: Fit) -> Tensor:
    """The bases whose orbits are nearest to a bank, by least squares with the stacked elements of the group.

    Shapes: (sets * order, channels, n, m) -> (sets, channels, n, m)
    """
    assert fit.group is not None
    assert fit.arrangement is not None
    elements = fit.group.representation(fit.matrices)  # (order, d, d)
    filters = in_order(bank.cpu().double().unflatten(0, (-1, len(elements))), fit.arrangement)
    stacked = vec(filters).transpose(1, 2).flatten(2)  # (sets, channels, order * d)
    bases = stacked @ torch.linalg.pinv(elements.flatten(0, 1)).mT
    return unvec(bases, tuple(bank.shape[-2:])).to(bank)
