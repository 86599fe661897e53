"""Scores of runs and of their controls, which are stored in the directory of the run, and cosines of filters."""

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

#: The share of generators in which a planted structure is found, by the way of planting and by structure.
Planted = dict[str, dict[str, float]]


def scores_of(context: Context, run: Run) -> Scores:
    return _stored(run, SCORES, lambda: analyze(run, **context.options))


def free_scores_of(context: Context, run: Run, share: Share) -> Scores:
    """The scores of generators that are fitted to the filters of a free network, for each set or each channel."""
    network, seed = run.config.network, run.config.seed
    grey = run.facts.image_shape[0] == 1  # then both are the same
    name = SCORES if grey or share == "set" else f"scores-{share}.json.xz"
    return _stored(run, name, lambda: _analysis(context, free(run.model(), network.finite_group.order, share, seed)))


def controls_of(context: Context, run: Run) -> dict[str, Scores]:
    """The scores of generators made of the network's own filters and generators, paired differently."""
    share, seed = run.config.network.share, run.config.seed

    def scores(name: str, make: Callable[[], Generators]) -> Scores:
        return _stored(run, name, lambda: _analysis(context, make()))

    return {
        REPAIRED: scores("re-paired.json.xz", lambda: repaired(run.model(), run.initial(), share, seed)),
        OTHER_INPUTS: scores("other-inputs.json.xz", lambda: with_other_inputs(run.model(), share, seed)),
    }


def planted_of(context: Context, run: Run) -> Planted | None:
    """The share of planted structures that are found, or None if neither it nor the weights are stored."""
    path = run.path / "planted.json"
    if not path.is_file():
        if not run.finished:
            return None
        model, initial, share = run.model(), run.initial(), run.config.network.share
        ways = {way: planted(model, initial, share, way == THROUGH_FILTERS) for way in (WHOLE, THROUGH_FILTERS)}
        write_json(path, {way: _shares(context, *made) for way, made in ways.items()})
    stored = read_json(path)
    return {way: stored[way] for way in (WHOLE, THROUGH_FILTERS)}


def _shares(context: Context, of: Generators, structures: list[str]) -> dict[str, float]:
    pairs = list(zip(structures, summarise(_analysis(context, of)).generators, strict=True))
    return {name: mean(name in dict(item.findings) for had, item in pairs if had == name) for name in PARTS}


def smallest_singular_value(run: Run) -> float:
    """The smallest singular value of all generators of a run."""
    path = run.path / SINGULAR_VALUES
    if not path.is_file():
        with torch.no_grad():
            values = [torch.linalg.svdvals(g.matrix().double()) for g in generators_of(run.model()).values()]
        write_json(path, {"smallest": min(float(v.min()) for v in values)})
    return float(read_json(path)["smallest"])


def _analysis(context: Context, of: Generators) -> Analysis:
    return analyze_matrices(of.matrices, patch=of.patch, filters=of.filters, order=of.order, **context.options)


def _stored(run: Run, name: str, make: Callable[[], Analysis]) -> Scores:
    path = run.path / name
    if not path.is_file():
        summarise(make()).to_json(path)
    return Scores.from_json(path)


PLACES = ("in a set", "between sets")


def repetition(run: Run) -> dict[str, list[float]]:
    """`|cos|` of filters one, two, ... steps apart, by channel: in a set, and between sets of the same layer."""
    model, order = run.model(), run.config.network.finite_group.order
    banks = [bank for bank in model.modules() if isinstance(bank, OrbitBank)]
    layers = [layer for bank in banks for layer in bank().unflatten(0, (bank.num_layers, -1, order))]
    if not layers:  # free filters
        layers = list(model.get_submodule("encoder").filters().unflatten(1, (-1, order)))  # type: ignore[operator]
    found = [likeness_by_step(layer.detach().double()) for layer in layers]
    return {place: [mean(step) for step in zip(*(item[place] for item in found), strict=True)] for place in PLACES}


def likeness_by_step(sets: Tensor) -> dict[str, list[float]]:
    """The mean `|cos|` of elements j and j + 1, j and j + 2, ...: in a set, and between two sets.

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
    """In a set and between sets, by step, the values of the runs that have weights."""
    found = [repetition(run) for run in runs if run.finished]
    return {place: [list(step) for step in zip(*(item[place] for item in found), strict=True)] for place in PLACES}
