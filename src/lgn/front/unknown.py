"""`lgn.discover_from_data`: what the moments of data find, and, if asked, what a network says of it."""

import math
from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.actions import unvec
from lgn.discovery import moments
from lgn.discovery.filters.snap import snap
from lgn.discovery.images import symmetries
from lgn.discovery.moments import Verified
from lgn.discovery.moments.discover import STARTS
from lgn.discovery.moments.grouping import group_of
from lgn.discovery.moments.prepare import prepare
from lgn.discovery.moments.result import DataSymmetry, Element

SIDE = 4  # the least side of a picture that observers look at


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
    verify: bool = False,
    effort: float = 1.0,
) -> DataSymmetry:
    """The linear maps that keep the distribution of x, found by its moments: no candidates are given.

    x is whitened on its leading directions, z = W (x - mean); a linear map that keeps the distribution of x is there an
    orthogonal O that keeps the harmonic moments of `z / |z|`: `O . T = T` for the third and the fourth. What each half
    of the samples finds is judged by the other. See docs/unknown.md.

    rank: how many directions; None: as many as the moments are clear about.  size, blur: of whole images, which are
    made small and smooth (14x14, 1 pixel).  patch: look at patches of this size instead.  starts: of the search, of
    each kind.  verify: let the observers of `lgn.symmetries`, trained with that `effort`, tell `A x` from x for what
    was found; what they tell apart is no longer kept.

    Shapes: (N, d), or images (N, C, H, W) of any numbers; `labels` (N,), whole numbers, ask for the symmetries of the
    task.
    """
    if verify and labels is not None:
        raise ValueError("verify must be False with labels: observers look at data, not at a task")
    found = moments.discover_from_data(x, labels, rank, seed, size=size, blur=blur, patch=patch, starts=starts)
    if not verify:
        return found
    sample = prepare(x, None, size, blur, patch, seed)[0]
    rows = sample.x[:: len(sample.x) // len(x)]  # one patch of each image
    if found.grid is None:
        pictures = None
    else:
        pictures = x if patch is None else unvec(rows.unflatten(1, (found.grid.channels, -1)), found.grid.patch)
    return verified(found, rows, pictures, seed, effort)


def verified(
    found: DataSymmetry, rows: Tensor, pictures: Tensor | None = None, seed: int = 0, effort: float = 1.0
) -> DataSymmetry:
    """With the verdict of `lgn.symmetries` on what is kept, and on what is undecided and has a name.

    A turn or flip by quarters is judged on the pictures that the rows were made from; any other map on the r whitened
    numbers of each row, laid out as a small picture: off those directions it is not known. Such a map was found on the
    same samples, so that being kept is the weaker answer; being told apart is not weakened.

    Shapes: rows (N, d), pictures (N, C, H, W)
    """
    elements = []
    for element in found.elements:
        if element.period is not None and (element.verdict == "kept" or element.name):
            element = _judged(element, *_question(found, element, rows, pictures), seed, effort)
        elements.append(element)
    left = tuple(each for each in elements if each.verdict != "broken")
    broken = [each for each in elements if each.verdict == "broken"]
    notes = tuple(f"{each.called}: its moments are kept, but a network tells it apart" for each in broken)
    return replace(found, elements=left, group=group_of(left, found.lie), notes=(*found.notes, *notes))


def _judged(
    element: Element, pictures: Tensor, function: Callable[[Tensor], Tensor], seed: int, effort: float
) -> Element:
    name = element.name or "a map"
    row = symmetries(pictures, None, [(name, function)], seed, effort=effort).row(name)
    said = Verified(row.images, row.told_apart, row.interval)
    return replace(element, verified=said, verdict="broken" if said.verdict == "broken" else element.verdict)


def _question(
    found: DataSymmetry, element: Element, rows: Tensor, pictures: Tensor | None
) -> tuple[Tensor, Callable[[Tensor], Tensor]]:
    """Pictures, and the map as a function of them, of exact period."""
    assert element.period is not None
    if pictures is not None and min(pictures.shape[2:]) >= SIDE:
        warp = found.warp(element)
        if warp is not None and warp.exact:
            return pictures, warp
    r, inner = found.rank, snap(element.inner, "roots", element.period)
    width = max(SIDE, math.ceil(r / SIDE))
    z = F.pad(found.frame.apply(rows), (0, SIDE * width - r))

    def act(some: Tensor) -> Tensor:
        flat = some.flatten(1)
        return torch.cat([(flat[:, :r].double() @ inner.T).to(some), flat[:, r:]], 1).view(some.shape)

    return z.float().view(len(z), 1, SIDE, width), act
