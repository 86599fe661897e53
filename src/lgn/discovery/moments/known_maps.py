"""Names: known maps and generators of pixels, channels and columns, compared on the whitened directions."""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import partial, reduce
from itertools import combinations, permutations
from typing import cast

import torch
from torch import Tensor

from lgn.discovery.moments.prepare import Grid
from lgn.discovery.moments.sample import Frame
from lgn.generators.affine import places_from_centre, turns, warp_matrices
from lgn.linalg import cosine, nearest_permutation
from lgn.measures import nearest_period
from lgn.transforms import Space, Transformation, channel_permutation, families_of, find, parse_operator
from lgn.transforms.channels import MOST_CHANNELS, cycles_text
from lgn.transforms.warps import rotation_generator, warp

#: The cosine on the whitened directions from which a map has the name of a known map, or is a warp.
ENOUGH = 0.9
#: The loss of cosine at which an exact turn or flip by quarters replaces a fitted warp.
SIMPLER = 0.01
#: The largest number of columns that a name mentions, and of columns whose pairs are turned.
MENTIONED, PAIRS = 6, 20

#: A known map with its matrix on the columns, (d, d).
Known = tuple[Transformation, Tensor]


def name_map(inner: Tensor, frame: Frame, known: Iterable[Known]) -> tuple[Known, float] | None:
    """The nearest known map and its cosine on the whitened directions; None if no map is near.  (r, r)"""
    best: tuple[Known, float] | None = None
    for candidate in known:
        near = cosine(inner, frame.lower(candidate[1]))
        if near > (ENOUGH if best is None else best[1]) + 1e-4:
            best = candidate, near
    return best


def known_maps(grid: Grid | None, d: int, named: bool) -> Iterator[Known]:
    """Maps of the catalogue for pixels, channels and both; without pixels or names of columns, maps of a ring."""
    if grid is None:
        eye = torch.eye(d, dtype=torch.float64)
        rings = {"reversal of columns": eye.flip(0)} | {f"shift by {n} columns": eye.roll(n, 0) for n in range(1, d)}
        yield from ((_of_rows(name, matrix), matrix) for name, matrix in ({} if named else rings).items())
        return
    kind, patch, channels = grid.kind, grid.patch, torch.eye(grid.channels, dtype=torch.float64)
    names = {"images": ("flips", "turns"), "signals": ("reversal", "sign"), "volumes": ("turns", "mirrors")}[kind]
    families = families_of(names, kind, torch.zeros(1, 1, *patch))
    exact = [known for family in families for known in family.transformations]
    shifts = [find(f"shift {part}/8", kind) for part in range(1, 8)] if kind == "signals" else []
    exact += [shift for shift in shifts if shift is not None]
    pixels = [(known, parse_operator(known.name, patch)) for known in exact]
    yield from ((known, torch.kron(channels, matrix)) for known, matrix in pixels)
    for degrees in range(15, 360, 15) if kind == "images" and patch[0] == patch[1] else ():
        if degrees % 90 and (turn := find(f"turn {degrees}", kind)) is not None:
            yield turn, torch.kron(channels, parse_operator(f"rotation {degrees} bilinear", patch))
    still = torch.eye(math.prod(patch), dtype=torch.float64)
    for order in list(permutations(range(grid.channels)))[1:] if grid.channels <= MOST_CHANNELS else []:
        mixed, exchange = channels[:, list(order)], channel_permutation(order, cast(Space, kind))
        yield exchange, torch.kron(mixed, still)
        yield from ((exchange.then(known), torch.kron(mixed, matrix)) for known, matrix in pixels)


def column_map(inner: Tensor, frame: Frame, columns: Sequence[str]) -> Known:
    """The nearest permutation of columns with signs."""
    matrix = frame.back @ inner @ frame.to
    permutation = nearest_permutation(matrix.abs())
    signed, order = permutation * matrix.sign(), tuple(permutation.argmax(0).tolist())
    negated = [name for name, row in zip(columns, signed, strict=True) if row.sum() < 0]
    moved = sum(column != place for column, place in enumerate(order))
    parts = [cycles_text(order, tuple(columns), "columns ")]
    parts += [f"negate column{'s' if len(negated) > 1 else ''} {', '.join(negated)}"] if negated else []
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


def fit_warp(inner: Tensor, frame: Frame, grid: Grid) -> "partial[Tensor] | None":
    """The warp `y(s) = x(M s + b)` that is nearest to a map of the whitened directions; None if it is not near.

    From the best turn or reflected turn by a multiple of 15 degrees, six numbers are fitted by least squares. A turn or
    flip by quarters that is as good replaces it.

    Shapes: (r, r)
    """
    places, sides = places_from_centre(grid.patch), torch.tensor(grid.patch, dtype=torch.float64)
    # One warp for all channels: their parts of the frame are added.
    to, back = frame.to.unflatten(1, (grid.channels, -1)), frame.back.unflatten(0, (grid.channels, -1))

    def lowered(numbers: Tensor) -> Tensor:  # (2, 3) -> (r, r)
        pixels = warp_matrices(numbers[:, :2], numbers[:, 2] * sides, places)
        return torch.einsum("icx,xy,cyj->ij", to, pixels, back)

    numbers = min(turns(), key=lambda start: float((lowered(start) - inner).norm())).clone().requires_grad_()
    optimizer = torch.optim.LBFGS([numbers], max_iter=60, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimizer.zero_grad()
        value = (lowered(numbers) - inner).square().sum()
        value.backward()
        return value

    with torch.enable_grad():
        optimizer.step(loss)
    fitted = numbers.detach()
    exact = fitted.round() * torch.tensor([1.0, 1.0, 0.0])  # about the centre
    near, near_exact = (cosine(inner, lowered(numbers)) for numbers in (fitted, exact))
    if near_exact >= near - SIMPLER:
        fitted, near = exact, near_exact
    return partial(warp, linear=fitted[:, :2].tolist(), shift=fitted[:, 2].tolist()) if near >= ENOUGH else None


def ring_derivative(size: int) -> Tensor:
    """The derivative of periodic band-limited functions, a skew circulant matrix: the generator of shifts of a ring."""
    waves = torch.fft.fftfreq(size, dtype=torch.float64) * size
    if size % 2 == 0:
        waves[size // 2] = 0  # the highest wave has no derivative on the grid
    matrix = torch.fft.ifft(1j * waves[:, None] * torch.fft.fft(torch.eye(size, dtype=torch.complex128), dim=0), dim=0)
    return matrix.real.contiguous() * 2 * torch.pi / size


def _of_rows(name: str, matrix: Tensor) -> Transformation:
    return Transformation(name, matrix=matrix, space="rows", order=nearest_period(matrix)[0])


def _generators(grid: Grid | None, d: int, columns: Sequence[str]) -> Iterator[tuple[str, Tensor]]:
    if grid is None:
        yield "cyclic shifts of the columns", ring_derivative(d)
        for first, second in combinations(range(d if d <= PAIRS else 0), 2):
            turn = torch.zeros(d, d, dtype=torch.float64)
            turn[first, second], turn[second, first] = -1, 1
            yield f"turns of columns {columns[first]} and {columns[second]}", turn
        return
    same = torch.eye(grid.channels, dtype=torch.float64)
    if grid.kind == "images":
        yield "turns by any angle", torch.kron(same, rotation_generator(grid.patch))
    for axis, side in enumerate(grid.patch):
        factors = [torch.eye(other, dtype=torch.float64) for other in grid.patch]
        factors[axis] = ring_derivative(side)
        yield f"cyclic shifts along axis {axis + 1}", reduce(torch.kron, [same, *reversed(factors)])
