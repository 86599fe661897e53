"""`discover_from_data`: the linear maps that keep the distribution of data, with no list to choose from."""

import math

import torch
from torch import Tensor

from lgn.discovery.moments import lie
from lgn.discovery.moments.ascent import polar
from lgn.discovery.moments.grouping import name_group
from lgn.discovery.moments.judge import LEVEL, Judgement, judge
from lgn.discovery.moments.naming import name_element, name_generator
from lgn.discovery.moments.prepare import Grid, prepare
from lgn.discovery.moments.result import DataSymmetry, Element, Group, LieGenerator
from lgn.discovery.moments.search import closed, distinct, polish, promising, search
from lgn.discovery.moments.significance import Blocks, power, quantile, weakest_direction
from lgn.discovery.moments.split import Sample, choose_frame, halves, mean_moments
from lgn.discovery.moments.starts import invariants_and_noise
from lgn.discovery.moments.tensors import BLOCKS
from lgn.discovery.moments.whitening import Frame, principal_directions
from lgn.operators import nearest_period

STARTS = 100
NEAR = 0.2  # relative distance to the identity under which a map is the identity
REPEATED = 0.1  # relative error by the two halves up to which a map is known
FOURTH = 24  # directions up to which fourth moments are looked at


def discover_from_data(
    x: Tensor,
    labels: Tensor | None = None,
    rank: int | None = None,
    seed: int = 0,
    *,
    size: int | None = None,
    blur: float | None = None,
    patch: int | None = None,
    starts: int = STARTS,
) -> DataSymmetry:
    """The linear maps that keep the distribution of x, found by its moments: no candidates are given.

    x is whitened on its leading directions, z = W (x - mean); whatever linear map keeps the distribution of x is there an
    orthogonal O that keeps the harmonic moments of `z / |z|`: `O . T = T` for the third (the fourth where the third
    vanish). One half of the samples searches, the other judges what was found. See docs/unknown.md.

    rank: how many directions; None: as many as the moments are clear about.  size, blur: of whole images, which are made
    small and smooth (14x14, 1 pixel).  patch: look at patches of this size instead.  starts: of the search, of each kind.

    Shapes: (N, d), or images (N, C, H, W) of any numbers; `labels` (N,) whole numbers ask for the symmetries of the task.
    """
    sample, grid = prepare(x, labels, size, blur, patch, seed)
    if starts < 1:
        raise ValueError(f"starts must be at least 1, got {starts}")
    _check_rank(sample, rank)
    searching, judging = halves(sample, seed)
    degrees: tuple[int, ...] = (3,)
    frame, found = choose_frame(searching, degrees, rank, seed)
    notes: list[str] = []
    if not _visible(found[3]):
        notes.append("third moments cannot be told from none, as of Gaussian or sign-symmetric data")
        degrees = (4,)
        if frame.rank > FOURTH:
            return _nothing(sample, frame, notes)
        frame, found = choose_frame(searching, degrees, rank if rank is not None else frame.rank, seed)
        if not _visible(found[4]):
            notes[0] += ", and neither can fourth ones"
            return _nothing(sample, frame, notes)
        notes.append("fourth moments decide: every map stands for itself and its negative")
    judges = judging.moments(frame, degrees, seed)
    algebra = _algebra(found, judges, frame, grid, len(sample.x))
    moments = mean_moments(found)
    solutions = polish(search(moments, invariants_and_noise(found), starts, seed), moments)
    hopeful = closed(promising(solutions, found), moments, found)
    hopeful = _outside(hopeful, torch.stack([each.inner for each in algebra if each.verdict == "kept"]), NEAR)
    elements = _judged(hopeful, frame, judges, sample, judging, degrees, grid, seed)
    kept = [each for each in elements if each.verdict == "kept"]
    ...
