"""Names: known maps and generators of pixels, channels and columns, compared on the whitened directions."""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations, permutations

import torch
from torch import Tensor

from lgn.discovery.moments.prepare import Grid
from lgn.discovery.moments.whitening import Frame
from lgn.linalg import cosine, nearest_permutation
from lgn.measures import nearest_period
from lgn.transforms import Transformation, channel_permutation, families_of, find, parse_operator
from lgn.transforms.channels import MOST_CHANNELS, cycles_text
from lgn.transforms.warps import rotation_generator

#: The cosine from which a map has the name of a known map.
ENOUGH = 0.9
OBLONG = ("flip columns", "flip rows", "turn 180")
PIXELS = {
    "images": (*OBLONG, "turn 90", "turn 270", "transposition", "antitransposition"),
    "signals": ("reversal", "sign", *(f"shift {part}/8" for part in range(1, 8))),
}
#: The largest number of columns that a name mentions, and of columns whose pairs are turned.
MENTIONED, PAIRS = 6, 20

#: A known map with its matrix on the columns, (d, d).
Known = tuple[Transformation, Tensor]


def name_map(inner: Tensor, frame: Frame, known: Sequence[Known]) -> tuple[Known, float] | None:
    """The nearest known map and its cosine on the whitened directions; None if no map is near.  (r, r)"""
    best: tuple[Known, float] | None = None
    for one in known:
        near = cosine(inner, frame.lower(one[1]))
        if near > (ENOUGH if best is None else best[1]) + 1e-4:
            best = one, near
    return best


def known_maps(grid: Grid | None, d: int, named: bool) -> list[Known]:
    """Maps of the catalogue for pixels, channels and both; without pixels or names of columns, maps of a ring."""
    if grid is not None:
        return list(_of_grid(grid))
    eye = torch.eye(d, dtype=torch.float64)
    rings = {"reversal of columns": eye.flip(0)} | {f"shift by {n} columns": eye.roll(n, 0) for n in range(1, d)}
    return [] if named else [(_of_rows(name, matrix), matrix) for name, matrix in rings.items()]


def column_map(inner: Tensor, frame: Frame, columns: Sequence[str]) -> Known:
    """The nearest permutation of columns with signs."""
    matrix = frame.back @ inner @ frame.to
    permutation = nearest_permutation(matrix.abs())
    signed = permutation * matrix.sign()
    order = tuple(permutation.argmax(0).tolist())
    names = tuple(columns) or tuple(str(column + 1) for column in range(len(order)))
    negated = [names[column] for column in range(len(order)) if signed[column].sum() < 0]
    parts = [cycles_text(order, names, "columns ")]
    if negated:
        parts.append(f"negate column{'s' if len(negated) > 1 else ''} {', '.join(negated)}")
    moved = sum(column != place for column, place in enumerate(order))
    name = " then ".join(part for part in parts if part)
    if max(moved, len(negated)) > MENTIONED:
        name = f"permutation of {moved} columns" + (f" with {len(negated)} negated" if negated else "")
    return _of_rows(name, signed), signed


def name_generator(inner: Tensor, frame: Frame, grid: Grid | None, columns: Sequence[str]) -> tuple[str, float] | None:
    """The nearest known one-parameter group, and the cosine of its generator; None if none is near.  (r, r)"""
    cosines = {}
    for name, matrix in _generators(grid, len(frame.mean), columns):
        lowered = frame.lower(matrix)
        cosines[name] = abs(cosine(inner, (lowered - lowered.T) / 2))
    name = max(cosines, key=cosines.__getitem__)
    return (name, cosines[name]) if cosines[name] >= ENOUGH else None


def ring_derivative(size: int) -> Tensor:
    """The derivative of periodic band-limited functions, a skew circulant matrix: the generator of shifts of a ring."""
    waves = torch.fft.fftfreq(size, dtype=torch.float64) * size
    if size % 2 == 0:
        waves[size // 2] = 0  # the highest wave has no derivative on the grid
    matrix = torch.fft.ifft(1j * waves[:, None] * torch.fft.fft(torch.eye(size, dtype=torch.complex128), dim=0), dim=0)
    return matrix.real.contiguous() * 2 * torch.pi / size


def _of_grid(grid: Grid) -> Iterator[Known]:
    kind, patch, channels = grid.kind, grid.patch, torch.eye(grid.channels, dtype=torch.float64)
    names = PIXELS.get(kind, ())
    if kind == "volumes":
        family = families_of(("turns", "mirrors"), kind, torch.zeros(1, 1, *patch))[0]
        names = tuple(one.name for one in family.transformations)
    elif kind == "images" and patch[0] != patch[1]:
        names = OBLONG
    pixels = []
    for name in names:
        known = find(name, kind)
        assert known is not None
        pixels.append((known, parse_operator(name, patch)))
    yield from ((known, torch.kron(channels, matrix)) for known, matrix in pixels)
    if kind == "images" and patch[0] == patch[1]:
        for degrees in range(15, 360, 15):
            if degrees % 90 and (known := find(f"turn {degrees}", kind)) is not None:
                yield known, torch.kron(channels, parse_operator(f"rotation {degrees} bilinear", patch))
    if kind == "volumes" or not 1 < grid.channels <= MOST_CHANNELS:
        return
    still = torch.eye(patch[0] * patch[-1] if kind == "images" else patch[0], dtype=torch.float64)
    for order in list(permutations(range(grid.channels)))[1:]:
        mixed, exchange = (
            channels[:, list(order)],
            channel_permutation(order, "images" if kind == "images" else "signals"),
        )
        yield exchange, torch.kron(mixed, still)
        yield from ((exchange.then(known), torch.kron(mixed, matrix)) for known, matrix in pixels)


def _of_rows(name: str, matrix: Tensor) -> Transformation:
    return Transformation(name, matrix=matrix, space="rows", order=nearest_period(matrix)[0])


def _generators(grid: Grid | None, d: int, columns: Sequence[str]) -> Iterator[tuple[str, Tensor]]:
    if grid is None:
        yield "cyclic shifts of the columns", ring_derivative(d)
        names = tuple(columns) or tuple(str(column + 1) for column in range(d))
        for first, second in combinations(range(d if d <= PAIRS else 0), 2):
            turn = torch.zeros(d, d, dtype=torch.float64)
            turn[first, second], turn[second, first] = -1, 1
            yield f"turns of columns {names[first]} and {names[second]}", turn
        return
    same = torch.eye(grid.channels, dtype=torch.float64)
    if grid.kind == "images":
        yield "turns by any angle", torch.kron(same, rotation_generator(grid.patch))
    for axis, side in enumerate(grid.patch):
        factors = [torch.eye(other, dtype=torch.float64) for other in grid.patch]
        factors[axis] = ring_derivative(side)
        yield f"cyclic shifts along axis {axis + 1}", reduce(torch.kron, [same, *reversed(factors)])
