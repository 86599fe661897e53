"""Names: known maps of pixels, of channels and of coordinates, compared on the directions that were looked at."""

from collections.abc import Iterator
from itertools import permutations

import torch
from torch import Tensor

from lgn.discovery.moments.prepare import Grid
from lgn.discovery.moments.whitening import Frame
from lgn.linalg import cosine, nearest_permutation
from lgn.transforms import parse_operator
from lgn.transforms.warps import rotation_generator

ENOUGH = 0.9  # cosine from which a map has the name
# As `lgn.symmetries` calls them, and as `lgn.transforms` does.
PIXELS = {
    "flip columns": "reflection columns",
    "flip rows": "reflection rows",
    "turn 180": "rotation 180",
    "turn 90": "rotation 90",
    "turn 270": "rotation 270",
    "transposition": "transposition",
    "antitransposition": "transposition then rotation 180",
}
OBLONG = ("flip columns", "flip rows", "turn 180")  # of patches that are not square
TURNS = {f"turn {degrees}": f"rotation {degrees} bilinear" for degrees in range(15, 360, 15) if degrees % 90}


def name_element(inner: Tensor, frame: Frame, grid: Grid | None) -> tuple[str | None, float | None, Tensor | None]:
    """The nearest known map: its name, its cosine on the frame's directions, its exact matrix; none if it is not near.

    Shapes: (r, r) -> (d, d)
    """
    best: tuple[str | None, float, Tensor | None] = (None, ENOUGH, None)
    for name, matrix in known_maps(len(frame.mean), grid) if grid is not None else _rows(inner, frame):
        near = cosine(inner, frame.lower(matrix))
        if near > best[1] + 1e-4:
            best = name, near, matrix
    return (None, None, None) if best[0] is None else best


def known_maps(d: int, grid: Grid | None) -> Iterator[tuple[str, Tensor]]:
    """Known maps of images: of pixels, of channels, of both; of rings of d numbers without a grid."""
    if grid is None:
        yield "reversal", torch.eye(d, dtype=torch.float64).flip(0)
        for places in range(1, d):
            yield f"shift {places}", torch.eye(d, dtype=torch.float64).roll(places, 0)
        return
    pixels = [(name, parse_operator(known, grid.patch)) for name, known in _fitting(grid.patch).items()]
    same = torch.eye(grid.channels, dtype=torch.float64)
    for name, matrix in pixels:
        yield name, torch.kron(same, matrix)
    still = torch.eye(grid.patch[0] * grid.patch[1], dtype=torch.float64)
    if 1 < grid.channels <= 4:
        for order in list(permutations(range(grid.channels)))[1:]:
            mixed, words = same[list(order)], f"channels {''.join(map(str, order))}"
            yield words, torch.kron(mixed, still)
            for name, matrix in pixels[: len(PIXELS)]:
                yield f"{name} and {words}", torch.kron(mixed, matrix)


def name_generator(inner: Tensor, frame: Frame, grid: Grid | None) -> tuple[str | None, float | None]:
    """The nearest known one-parameter group, and the cosine of its generator.  (r, r)"""
    d = len(frame.mean)
    known: dict[str, Tensor]
    if grid is None:
        known = {"shift of a ring": ring_derivative(d)}
    else:
        same = torch.eye(grid.channels, dtype=torch.float64)
        known = {"rotation": torch.kron(same, rotation_generator(grid.patch))}
        n, m = (torch.eye(side, dtype=torch.float64) for side in grid.patch)
        known["shift of rows"] = torch.kron(same, torch.kron(m, ring_derivative(grid.patch[0])))
        known["shift of columns"] = torch.kron(same, torch.kron(ring_derivative(grid.patch[1]), n))
    cosines = {}
    for name, matrix in known.items():
        lowered = frame.lower(matrix)
        cosines[name] = cosine(inner, (lowered - lowered.T) / 2)
    name = max(cosines, key=lambda each: abs(cosines[each]))
    return (name, cosines[name]) if abs(cosines[name]) >= ENOUGH else (None, None)


def _fitting(patch: tuple[int, int]) -> dict[str, str]:
    return PIXELS | TURNS if patch[0] == patch[1] else {name: PIXELS[name] for name in OBLONG}


def _rows(inner: Tensor, frame: Frame) -> Iterator[tuple[str, Tensor]]:
    """Maps of coordinates without pixels: known ones of rings, and the nearest permutation of them with signs."""
    d = len(frame.mean)
    yield from known_maps(d, None)
    matrix = frame.back @ inner @ frame.to
    signs = matrix.sign()
    permutation = nearest_permutation(matrix.abs())
    signed = permutation * signs
    moved = [column for column in range(d) if signed[column, column] != 1]
    if len(moved) > 0:
        changes = ", ".join(_change(signed, column) for column in moved[:6])
        yield f"coordinates {changes}{' ...' if len(moved) > 6 else ''}", signed


def _change(signed: Tensor, column: int) -> str:
    target = int(signed[:, column].abs().argmax())
    return f"{column}->{'-' if signed[target, column] < 0 else ''}{target}"


def ring_derivative(size: int) -> Tensor:
    """The derivative of periodic band-limited functions, a skew circulant matrix: the generator of shifts of a ring."""
    waves = torch.fft.fftfreq(size, dtype=torch.float64) * size
    if size % 2 == 0:
        waves[size // 2] = 0  # the highest wave has no derivative on the grid
    matrix = torch.fft.ifft(1j * waves[:, None] * torch.fft.fft(torch.eye(size, dtype=torch.complex128), dim=0), dim=0)
    return matrix.real.contiguous() * 2 * torch.pi / size
