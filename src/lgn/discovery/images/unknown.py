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
from lgn.discovery.moments import discover_from_data
from lgn.transforms.filters import blur

UNKNOWN = "unknown"
SIDE, BLUR = 14, 1.0
#: So many proposals are judged, those that the moments keep first; a name counts from this cosine on.
PROPOSALS, NAMED = 4, 0.9

# Note [Proposed and judged]
# Moments propose from the images that observers learn from; other images judge. A map is known on a few directions
# alone, those of most variance, and says nothing of the rest: all that an observer is shown, of x and of T x, lies on
# them. A map that is like one with a name is rounded to that, and one of finite order to its order: its powers are
# candidates too. Another cannot be kept, only broken.


def proposed(images: Tensor, seed: int) -> tuple[tuple[Family, ...], list[str]]:
    """A family for each map that `discover_from_data` proposes, and what is to be said of it.

    Shapes: (N, C, H, W), to learn from
    """
    try:
        found = discover_from_data(_small(images), seed=seed, blur=0.0)
    except ValueError as refusal:  # too few images for moments is no reason to refuse all other candidates
        return (), [f"Unknown maps were not looked for: {refusal}."]
    if not found.elements:
        return (), [f"The moments propose no map. {found.sentence}"]
    families = []
    for number, element in enumerate(found.elements[:PROPOSALS], 1):
        name, inner = f"unknown {number}", element.inner
        if element.exact is not None and abs(element.cosine or 0.0) >= NAMED:
            name, inner = f"{name} (like {element.name})", found.frame.lower(element.exact)
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
