"""Scores of runs and of their controls, made once and kept next to the runs, and the likeness of the filters of a set.

An orbit `W, A W, A^2 W, ...` is a power iteration: where A has few large singular values, it arrives in a plane or on a
line within a few steps, and filters come again, with one sign or the other.
"""

from collections.abc import Callable, Iterable
from statistics import mean

import torch
from torch import Tensor

from lgn.analysis import Analysis, analyze_matrices
from lgn.files import read_json, write_json
from lgn.front import analyze
from lgn.generators import Share, generators_of
from lgn.nn import OrbitBank
from lgn.training import Run
from studies.paper.context import SCORES, SINGULAR_VALUES, Context
from studies.paper.excerpt import Scores, summarise
from studies.truth.controls import (
    OTHER_INPUTS,
    PARTS,
    REPAIRED,
    THROUGH_FILTERS,
    WHOLE,
    Generators,
    free,
    planted,
    repaired,
    with_other_inputs,
)

#: By how it was planted, and by structure: the share of generators in which it is found.
Planted = dict[str, dict[str, float]]
PLANTED = "planted.json"


def scores_of(context: Context, run: Run) -> Scores:
    return _kept(run, SCORES, lambda: analyze(run, **context.options))


def free_scores_of(context: Context, run: Run, share: Share) -> Scores:
    """The scores of generators that fit a free network's filters: a set has one, or each of its channels."""
    network, seed = run.config.network, run.config.seed
    grey = run.facts.image_shape[0] == 1  # where both are the same
    name = SCORES if grey or share == "set" else f"scores-{share}.json.xz"
    return _kept(run, name, lambda: _analysis(context, free(run.model(), network.finite_group.order, share, seed)))


def controls_of(context: Context, run: Run) -> dict[str, Scores]:
    """The scores of what the network's own filters and generators give without their pairing."""
    share, seed = run.config.network.share, run.config.seed
    makers: dict[str, Callable[[], Generators]] = {
        REPAIRED: lambda: repaired(run.model(), run.initial(), share, seed),
        OTHER_INPUTS: lambda: with_other_inputs(run.model(), share, seed),
    }
    return {
        name: _kept(run, f"{name.replace(' ', '-')}.json.xz", lambda make=make: _analysis(context, make()))  # type: ignore[misc]
        for name, make in makers.items()
    }


def planted_of(context: Context, run: Run) -> Planted | None:
    """What is found of structures that are there; None where neither it nor the weights were kept."""
    path = run.path / PLANTED
    if not path.is_file():
        if not run.finished:
            return None
        model, initial, share = run.model(), run.initial(), run.config.network.share
        ways = {WHOLE: False, THROUGH_FILTERS: True}
        write_json(
            path, {way: _shares(context, *planted(model, initial, share, through)) for way, through in ways.items()}
        )
    kept = read_json(path)
    return {way: kept[way] for way in (WHOLE, THROUGH_FILTERS)}


def _shares(context: Context, of: Generators, structures: list[str]) -> dict[str, float]:
    generators = summarise(_analysis(context, of)).generators
    found = [(name, name in dict(item.findings)) for name, item in zip(structures, generators, strict=True)]
    return {name: mean(there for planted, there in found if planted == name) for name in PARTS}


def singular_values_of(run: Run) -> tuple[float, float]:
    path = run.path / SINGULAR_VALUES
    if not path.is_file():
        with torch.no_grad():
            values = [torch.linalg.svdvals(g.matrix().double()) for g in generators_of(run.model()).values()]
        smallest, largest = min(float(v.min()) for v in values), max(float(v.max()) for v in values)
        write_json(path, {"smallest": smallest, "largest": largest})
    kept = read_json(path)
    return kept["smallest"], kept["largest"]


def _analysis(context: Context, of: Generators) -> Analysis:
    return analyze_matrices(of.matrices, patch=of.patch, filters=of.filters, order=of.order, **context.options)


def _kept(run: Run, name: str, make: Callable[[], Analysis]) -> Scores:
    path = run.path / name
    if not path.is_file():
        summarise(make()).to_json(path)
    return Scores.from_json(path)


PLACES = ("in a set", "between sets")


def repetition(run: Run) -> dict[str, list[float]]:
    """`|cos|` of filters one, two, ... steps apart, by channel: in a set, and between sets of the same layer."""
    model = run.model()
    layers = [item for bank in model.modules() if isinstance(bank, OrbitBank) for item in _layers(bank)]
    if not layers:  # free filters, which are taken as sets as they stand
        filters = model.get_submodule("encoder").filters().detach().double()  # type: ignore[operator]
        layers = list(filters.unflatten(1, (-1, run.config.network.finite_group.order)))
    found = [likeness_by_step(item) for item in layers]
    return {place: [mean(layer) for layer in zip(*(item[place] for item in found), strict=True)] for place in PLACES}


def _layers(bank: OrbitBank) -> list[Tensor]:
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
    return {place: [list(step) for step in zip(*(item[place] for item in found), strict=True)] for place in PLACES}
