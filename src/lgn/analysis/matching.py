"""The nearest known operator of each family, by cosine, with continuous parameters.

A family is searched on the grid of the dictionary. Draws of the null models are searched in the same way, so that a
larger family has no advantage. The reported parameter and cosine are then refined between the points of the grid.
"""

import math
from collections.abc import Collection

import torch
from torch import Tensor

from lgn.actions import Patch
from lgn.analysis.dictionary import BLUR_STEP, CYCLE_STEP, DEGREES, SCALE_STEP, SHEAR_STEP, Keywords, dictionary
from lgn.analysis.generator import Parameter
from lgn.transforms import NAMES, operator

TIE = 1e-4

_CONTINUOUS = {
    "rotation": ("degrees", DEGREES),
    "pooling then rotation": ("degrees", DEGREES),
    "blur": ("sigma", BLUR_STEP),
    "scaling": ("factor", SCALE_STEP),
    "shear": ("amount", SHEAR_STEP),
    "smoothing": ("sigma", BLUR_STEP),
    "stretch": ("factor", SCALE_STEP),
    "modulation": ("cycles", CYCLE_STEP),
}
#: Keywords that are not shown, in all families and in single ones.
_HIDDEN = {"mode", "fill", "kind"}
_HIDDEN_IN = {"shear": {"axis"}, "modulation": {"degrees"}}


def nearest(
    a: Tensor, patch: Patch, basis: Tensor | None = None, refined: Collection[str] = NAMES
) -> dict[str, tuple[Keywords, float]]:
    """The nearest operator of each family to A (d, d), as keywords and signed cosine; on U for a basis (d, k) of U.

    refined: the families that are also searched between the points of the grid.
    """
    known = dictionary(patch)
    a, projector = a.double(), None
    if basis is not None:
        a, projector = a @ basis, basis @ basis.T
    cosines = known.cosines(a if basis is None else a @ basis.T, projector)
    found: dict[str, tuple[Keywords, float]] = {}
    for name, places in known.families.items():
        members, values = known.members[places], cosines[places]
        best = _simplest(values.abs())
        found[name] = members[best], float(values[best])
        if name in _CONTINUOUS and name in refined:
            smooth = torch.tensor([keywords.get("mode") != "nearest" for keywords in members])
            best = _simplest(torch.where(smooth, values.abs(), -1.0))
            between = _refine(a, patch, basis, name, members[best], float(values[best]))
            if abs(between[1]) > abs(found[name][1]) + 1e-9:
                found[name] = between
    return found


def order_by_excess(excess: dict[str, float]) -> list[str]:
    """Family names, the nearest first; among ties the simplest first."""
    left, ordered = [name for name in NAMES if name in excess], []
    while left:
        bound = max(excess[name] for name in left) - TIE
        ordered.append(next(name for name in left if excess[name] >= bound))
        left.remove(ordered[-1])
    return ordered


def parameter_of(name: str, keywords: Keywords) -> Parameter:
    """The value (or pair) that identifies an operator of a family."""
    hidden = _HIDDEN | _HIDDEN_IN.get(name, set())
    chosen = tuple(value for key, value in keywords.items() if key not in hidden)
    if len(chosen) < 2:
        return chosen[0] if chosen else None
    return tuple(float(value) for value in chosen)


def _simplest(values: Tensor) -> int:
    """The first index of the largest value, up to rounding."""
    return int((values >= values.max() - 1e-9).nonzero()[0])


def _refine(
    a: Tensor, patch: Patch, basis: Tensor | None, name: str, keywords: Keywords, cosine: float
) -> tuple[Keywords, float]:
    """Maximise the cosine over the continuous parameter, between its neighbours on the grid."""
    from scipy.optimize import minimize_scalar

    key, step = _CONTINUOUS[name]
    centre, sign = float(keywords[key]), math.copysign(1.0, cosine)
    # Steps of degrees, shear and cycles add; steps of factor and sigma multiply.
    adds = key in ("degrees", "amount", "cycles")
    bounds = (centre - step, centre + step) if adds else (centre / step, centre * step)

    def loss(value: float) -> float:
        b = operator(name, patch, **{**keywords, key: value})
        b = b if basis is None else b @ basis
        length = float(b.norm() * a.norm())
        return -sign * float((a * b).sum()) / length if length > 0 else 0.0

    result = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-3 * (bounds[1] - bounds[0])})
    value = float(result.x) % 360.0 if key == "degrees" else float(result.x)
    return {**keywords, key: value}, -sign * float(result.fun)
