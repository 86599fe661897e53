"""How alike the filters of a set are: what powers of a matrix do to a filter, whatever the matrix is.

An orbit `W, A W, A^2 W, ...` is a power iteration: where A has few large singular values, it arrives in a plane or on a
line within a few steps, and filters come again, with one sign or the other.
"""

from collections.abc import Iterable
from statistics import mean

import torch
from torch import Tensor

from lgn.nn import OrbitBank
from lgn.training import Run

PLACES = ("in a set", "between sets")


def repetition(run: Run) -> dict[str, list[float]]:
    """`|cos|` of filters one, two, ... steps apart, by channel: in a set, and between sets of the same layer."""
    model = run.model()
    layers = [each for bank in model.modules() if isinstance(bank, OrbitBank) for each in _layers(bank)]
    if not layers:  # free filters, which are taken as sets as they stand
        filters = model.get_submodule("encoder").filters().detach().double()  # type: ignore[operator]
        layers = list(filters.unflatten(1, (-1, run.config.network.finite_group.order)))
    found = [likeness_by_step(each) for each in layers]
    return {place: [mean(layer) for layer in zip(*(each[place] for each in found), strict=True)] for place in PLACES}


def _layers(bank: OrbitBank) -> list[Tensor]:
    """The sets of each layer, (S, p, C, n, m)."""
    return list(bank().detach().double().unflatten(0, (bank.num_layers, -1, bank.order)))


def likeness_by_step(sets: Tensor) -> dict[str, list[float]]:
    """The mean `|cos|` of elements j and j + 1, j and j + 2, ...: of a set, and of two that are not the same.

    Shapes: sets (S, p, C, n, m), filters of one layer
    """
    unit = torch.nn.functional.normalize(sets.flatten(-2), dim=-1)
    cosines = torch.einsum("kicd,ljcd->klijc", unit, unit).abs()
    own = torch.eye(len(sets), dtype=torch.bool)
    steps = [cosines.diagonal(by, -3, -2) for by in range(1, sets.shape[1])]
    return {
        place: [float(step[where].mean()) for step in steps] for place, where in zip(PLACES, (own, ~own), strict=True)
    }


def over_runs(runs: Iterable[Run]) -> dict[str, list[list[float]]]:
    """In a set and between sets, by step, a number of each run that has its weights."""
    found = [repetition(run) for run in runs if run.finished]
    return {place: [list(step) for step in zip(*(each[place] for each in found), strict=True)] for place in PLACES}
