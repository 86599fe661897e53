"""Beyond the list: maps that the moments of the images propose, judged like any candidate."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.actions import unvec, vec
from lgn.discovery.filters.snap import snap
from lgn.discovery.images.candidates import of_own
from lgn.discovery.images.family import Family
from lgn.discovery.moments.finder import find_maps
from lgn.discovery.moments.known_maps import known_maps, name_map
from lgn.discovery.moments.prepare import prepare
from lgn.transforms.filters import blur

UNKNOWN = "unknown"
SIDE, BLUR = 14, 1.0
#: So many proposals are judged, those that the moments keep first.
PROPOSALS = 4

# Note [Proposed and judged]
# Moments propose from the images that observers learn from; other images judge. A map is known on a few directions
# alone, those of most variance, and says nothing of the rest: all that an observer is shown, of x and of T x, lies on
# them. A map that is like one with a name is rounded to that, and one of finite order to its order: its powers are
# candidates too. Another cannot be kept, only broken.


def proposed(images: Tensor, seed: int) -> tuple[tuple[Family, ...], list[str]]:
    """A family for each map that `discover_moments` proposes, and what is to be said of it.

    Shapes: (N, C, H, W), to learn from
    """
    try:
        sample, grid = prepare(_small(images), None, "images", blur=0.0, seed=seed)
        found = find_maps(sample, None, 100)
    except ValueError as refusal:  # too few images for moments is no reason to refuse all other candidates
        return (), [f"Unknown maps were not looked for: {refusal}."]
    if not found.elements:
        return (), ["The moments propose no map."]
    families = []
    known = known_maps(grid, len(found.frame.mean), named=False)
    for number, element in enumerate(found.elements[:PROPOSALS], 1):
        name, inner = f"unknown {number}", element.inner
        named = name_map(inner, found.frame, known)
        if named is not None:
            name, inner = f"{name} (like {named[0][0].name})", found.frame.lower(named[0][1])
        if element.period is not None:
            inner = snap(inner, "roots", element.period)
        view, function = _on_directions(found.frame.mean, found.frame.to, found.frame.back, inner)
        families.append(replace(of_own((name, function), view(images[:64])), view=view))
    return tuple(families), []


def _small(images: Tensor) -> Tensor:
    side = min(SIDE, *images.shape[-2:])
    return blur(F.adaptive_avg_pool2d(images, side).double(), BLUR)


def _on_directions(
    mean: Tensor, to: Tensor, back: Tensor, inner: Tensor
) -> tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor]]:
    """What of images lies on the directions of a frame, and what a map of those does to it."""

    def mapped(small: Tensor, matrix: Tensor) -> Tensor:
        rows = (vec(small).flatten(1).double() - mean) @ to.T @ matrix.T @ back.T + mean
        return unvec(rows.unflatten(1, (small.shape[1], -1)), (small.shape[2], small.shape[3])).float()

    def view(images: Tensor) -> Tensor:
        return torch.cat(
            [mapped(_small(some), torch.eye(len(inner), dtype=inner.dtype)) for some in images.split(2000)]
        )

    def function(small: Tensor) -> Tensor:
        return mapped(small, inner)

    return view, function
