"""The dictionary of known operators: all families, on grids of their parameters."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import torch
from torch import Tensor

from lgn.actions import Patch, signed_permutations
from lgn.transforms import fits, operator

Keywords = dict[str, int | float | str]

#: Families whose cosine does not depend on the places of pixels.
UNPLACED = ("identity",)
DEGREES, SCALE_STEP, BLUR_STEP, SHEAR_STEP, CYCLE_STEP = 5.0, 2 ** (1 / 8), 2 ** (1 / 4), 0.1, 0.5


@dataclass(frozen=True)
class Dictionary:
    """All operators of a patch, family by family."""

    families: dict[str, slice]  # the places of the operators of a family
    members: tuple[Keywords, ...]
    matrices: Tensor  # (M, d^2), the operators B
    grams: Tensor  # (M, d^2), the matrices B^T B
    norms: Tensor  # (M,), |B|

    def cosines(self, a: Tensor, projector: Tensor | None = None, members: slice = slice(None)) -> Tensor:
        """`<A, B> / (|A| |B|)` with the operators, or a slice of them, (..., d, d) -> (..., M).

        With a projector `P_U`, (d, d) or one for each A, A must be restricted to U. Then B is restricted too, through
        `<A P_U, B> = <A P_U, B P_U>` and `|B P_U|^2 = <B^T B, P_U>`. An operator that vanishes on U has the cosine 0.
        """
        flat = a.flatten(-2)
        length = flat.norm(dim=-1, keepdim=True).clamp(min=torch.finfo(a.dtype).tiny)
        norms = self.norms[members]
        inverse = 1 / norms
        if projector is not None:
            squares = projector.to(a.dtype).flatten(-2) @ self.grams[members].T
            inverse = torch.where(squares > 1e-6 * norms**2, squares, torch.inf).rsqrt()
        return (flat / length) @ self.matrices[members].T * inverse


@lru_cache(maxsize=4)
def dictionary(patch: Patch, dtype: torch.dtype = torch.float64) -> Dictionary:
    """The dictionary of a patch, without families that need a square patch if it is not square."""
    if dtype != torch.float64:
        exact = dictionary(patch)
        return replace(exact, **{name: getattr(exact, name).to(dtype) for name in ("matrices", "grams", "norms")})
    families: dict[str, slice] = {}
    members: list[Keywords] = []
    made: dict[str, Tensor] = {}
    for name, grid in _GRIDS[len(patch)].items():
        if own := grid(patch):
            if name == "pooling then rotation":  # all poolings with all rotations, in the order of the grid
                made[name] = (made["rotation"][None] @ made["pooling"][:, None]).flatten(0, 1)
            else:
                made[name] = torch.stack([operator(name, patch, **keywords) for keywords in own])
            families[name] = slice(len(members), len(members) + len(own))
            members += own
    matrices = torch.cat(list(made.values()))
    return Dictionary(
        families,
        tuple(members),
        matrices.flatten(-2),
        (matrices.mT @ matrices).flatten(-2),
        matrices.flatten(-2).norm(dim=-1),
    )


def _rotations() -> list[Keywords]:
    """All angles of the grid, round angles first: the first of several equal operators gives the name."""
    angles = [DEGREES * k for k in range(round(360 / DEGREES))]
    angles.sort(key=lambda angle: next(i for i, unit in enumerate((90, 45, 30, 15, DEGREES)) if angle % unit == 0))
    return [{"degrees": angle, "mode": mode} for angle in angles for mode in ("bilinear", "nearest")]


def _shifts(patch: Patch) -> list[Keywords]:
    """All cyclic shifts, then shifts with zeros by up to half the patch."""
    names = {1: ("places",), 2: ("rows", "columns"), 3: ("first", "second", "third")}[len(patch)]
    wrapped = [[(place + n // 2) % n - n // 2 for place in range(n)] for n in patch]
    near = [range(-(n // 2), n // 2 + 1) for n in patch]
    return [
        {**dict(zip(names, moved, strict=True)), "fill": fill}
        for fill, places in (("cyclic", wrapped), ("zeros", near))
        for moved in itertools.product(*places)
        if any(moved)
    ]


def _geometric(low: float, high: float, step: float) -> list[float]:
    return [low * step**k for k in range(round(math.log(high / low, step)) + 1)]


def _smooth(_: Patch) -> list[Keywords]:
    return [{"sigma": sigma} for sigma in _geometric(0.25, 4.0, BLUR_STEP)]


_AXES = ("rows", "columns")

_IMAGES: dict[str, Callable[[Patch], list[Keywords]]] = {
    "identity": lambda _: [{}],
    "reflection": lambda _: [{"axis": axis} for axis in _AXES],
    "transposition": lambda patch: [{}] if patch[0] == patch[1] else [],
    "shift": _shifts,
    "rotation": lambda _: _rotations(),
    "pooling": lambda patch: [{"radius": radius} for radius in range(1, min(patch) + 1)],
    "blur": _smooth,
    "derivative": lambda patch: (
        [{"axis": axis, "kind": kind} for axis in _AXES for kind in ("centred", "forward")] if min(patch) > 2 else []
    ),
    "scaling": lambda _: [{"factor": factor} for factor in _geometric(0.5, 2.0, SCALE_STEP)],
    "shear": lambda _: [{"amount": k * SHEAR_STEP, "axis": axis} for axis in _AXES for k in range(-10, 11)],
    "pooling then rotation": lambda patch: [
        {"radius": radius, **turn} for radius in range(1, min(patch) + 1) for turn in _rotations()
    ],
}


# A change of sign needs no operator: the cosine has a sign.
_SIGNALS: dict[str, Callable[[Patch], list[Keywords]]] = {
    "identity": lambda _: [{}],
    "reversal": lambda _: [{}],
    "shift": _shifts,
    "smoothing": _smooth,
    "derivative": lambda patch: [{"kind": kind} for kind in ("centred", "forward")] if min(patch) > 2 else [],
    "stretch": lambda _: [{"factor": factor} for factor in _geometric(0.5, 2.0, SCALE_STEP)],
    "modulation": lambda patch: [
        {"cycles": CYCLE_STEP * k, "degrees": degrees} for degrees in (0.0, 90.0) for k in range(1, patch[0] + 1)
    ],
}
_VOLUMES: dict[str, Callable[[Patch], list[Keywords]]] = {
    "identity": lambda _: [{}],
    "mirror": lambda _: [{"axis": axis} for axis in (1, 2, 3)],
    "turn": lambda patch: [
        {"axis": axis, "degrees": degrees}
        for axis in (1, 2, 3)
        for degrees in (90, 180, 270)
        if degrees == 180 or len({n for other, n in enumerate(patch, 1) if other != axis}) == 1
    ],
    "cube": lambda patch: [{"number": i} for i, moved in enumerate(signed_permutations(3)) if fits(patch, moved)],
    "shift": _shifts,
    "blur": _smooth,
}
_GRIDS = {1: _SIGNALS, 2: _IMAGES, 3: _VOLUMES}
