"""Found maps as transformations of images and as layers: known ones are recovered, and layers move as they should."""

import pytest
import torch
from torch import Tensor

import lgn
from lgn.actions import matrix_of
from lgn.answer import Answer, DataSummary
from lgn.discovery.moments.judge import Element, Judgement
from lgn.discovery.moments.known_maps import fit_warp
from lgn.discovery.moments.moments_answer import Describer, Found
from lgn.discovery.moments.prepare import Grid
from lgn.discovery.moments.sample import Frame, whitening
from lgn.generators.affine import places_from_centre, warp_matrices
from lgn.linalg import polar_factor
from lgn.measures import nearest_period
from lgn.transforms import parse_operator
from lgn.transforms.filters import blur
from lgn.transforms.warps import warp

GRID = Grid("images", 1, (9, 9))


def smooth_frame(channels: int = 1, rank: int = 12) -> Frame:
    """The leading directions of smooth random pictures that every turn and flip keeps: a disc of noise."""
    noise = torch.randn(4_000, channels, 9, 9, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    row, column = places_from_centre((9, 9)).unbind(1)
    disc = torch.exp(-(row.square() + column.square()) / 8)
    rows = lgn.vec(blur(noise, 1.0)) * disc
    return whitening(rows.flatten(1)).leading(rank)


def answer_of(inner: Tensor, frame: Frame, grid: Grid | None) -> Answer:
    """The answer if this map were found and kept."""
    judgement = Judgement(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, "kept", 1.0)
    period, distance = nearest_period(inner)
    element = Element(inner, judgement, None, period if distance < 0.35 else None)
    data = DataSummary("tables" if grid is None else "images", 10_000, (len(frame.mean),))
    return Describer(Found(frame, (), (element,), degree=3), grid, data, ()).answer({}, 0)


def noisy(matrix: Tensor, size: float = 0.03) -> Tensor:
    noise = torch.randn(matrix.shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    return polar_factor(matrix + size * noise)


@pytest.mark.parametrize("name", ["reflection columns", "rotation 90", "transposition"])
@pytest.mark.parametrize("channels", [1, 3])
def test_turns_and_flips_by_quarters_are_snapped_exactly(name: str, channels: int) -> None:
    frame = smooth_frame(channels)
    small = parse_operator(name, (9, 9))
    pixels = torch.kron(torch.eye(channels, dtype=torch.float64), small)
    fitted = fit_warp(noisy(polar_factor(frame.lower(pixels))), frame, Grid("images", channels, (9, 9)))
    assert fitted is not None
    assert torch.equal(matrix_of(fitted, (9, 9)), small)
    assert torch.equal(matrix_of(fitted, (4, 4)), parse_operator(name, (4, 4)))


def test_an_affine_map_is_fitted() -> None:
    """A turn by about 37 degrees with a stretch: the fit has the same six numbers."""
    linear = torch.tensor([[0.84, 0.57], [-0.63, 0.76]], dtype=torch.float64)
    frame = smooth_frame()
    shift = torch.tensor([0.3, -0.2], dtype=torch.float64)
    inner = frame.lower(warp_matrices(linear, shift, places_from_centre((9, 9))))
    fitted = fit_warp(inner, frame, GRID)
    assert fitted is not None
    assert torch.allclose(torch.tensor(fitted.keywords["linear"]).double(), linear, atol=0.01)
    assert torch.allclose(9 * torch.tensor(fitted.keywords["shift"]).double(), shift, atol=0.05)


def test_a_warp_of_images_is_its_matrix() -> None:
    """Function and matrix are one map on oblong images too."""
    linear, shift = ((0.9, 0.3), (-0.2, 1.0)), (0.05, -0.1)
    images = torch.randn(3, 2, 6, 8, dtype=torch.float64)
    moved = torch.tensor([0.05 * 6, -0.1 * 8], dtype=torch.float64)
    matrix = warp_matrices(torch.tensor(linear, dtype=torch.float64), moved, places_from_centre((6, 8)))
    assert torch.allclose(warp(images, linear, shift=shift), lgn.act(matrix, images))


@pytest.mark.parametrize("channels", [1, 2])
def test_a_map_without_a_geometry_acts_on_small_images(channels: int) -> None:
    frame, grid = smooth_frame(channels), Grid("images", channels, (9, 9))
    random = torch.linalg.qr(torch.randn(12, 12, generator=torch.Generator().manual_seed(3)).double())[0]
    inner = random @ torch.diag(torch.tensor([1.0] * 6 + [-1.0] * 6, dtype=torch.float64)) @ random.T
    assert fit_warp(inner, frame, grid) is None
    assert answer_of(random, frame, grid).kept[0].transformation.order is None
    transformation = answer_of(inner, frame, grid).kept[0].transformation
    images = torch.randn(5, channels, 9, 9, dtype=torch.float64)
    rows = frame.mean + (lgn.vec(images).flatten(1) - frame.mean) @ frame.lift(inner).T
    assert torch.allclose(lgn.vec(transformation(images)).flatten(1), rows, atol=0.05)
    assert torch.allclose(transformation(transformation(images)), images)


@pytest.mark.parametrize("order", [2, 3, 5])
def test_outputs_of_a_linear_layer_move_one_place(order: int) -> None:
    """A matrix of a table without a name, not orthogonal: the layer's outputs at A x are those at x, one place on."""
    generator = torch.Generator().manual_seed(order)
    z = torch.randn(500, 6, generator=generator, dtype=torch.float64)
    x = z @ torch.randn(6, 6, generator=generator, dtype=torch.float64)
    frame = whitening(x).leading(6)
    basis = torch.linalg.qr(torch.randn(6, 6, generator=generator, dtype=torch.float64))[0]
    block = torch.eye(order, dtype=torch.float64).roll(1, 0)
    inner = basis @ torch.block_diag(block, torch.eye(6 - order, dtype=torch.float64)) @ basis.T
    answer = answer_of(noisy(inner), frame, None)
    (row,) = answer.kept
    assert row.transformation.order == order
    options = answer.layers()
    layer = lgn.nn.GroupLinear(6, 4, **options, dtype=torch.float64)
    centred, matrix = x[:20] - frame.mean, row.transformation.matrix
    assert matrix is not None
    moved = layer(centred @ matrix.T).unflatten(1, (4, order))
    assert torch.allclose(moved, layer(centred).unflatten(1, (4, order)).roll(-1, 2), atol=1e-9)
    assert float((frame.lower(matrix) - inner).norm()) < 0.3


def test_a_flip_becomes_kernels_of_any_size() -> None:
    frame = smooth_frame()
    exact = parse_operator("reflection columns", (9, 9))
    answer = answer_of(noisy(polar_factor(frame.lower(exact))), frame, GRID)
    layer = lgn.nn.GroupConv2d(1, 2, 3, **answer.layers(3), padding=1)
    images = torch.randn(2, 1, 8, 8)
    one, other = layer(images.flip(-1)), layer(images).flip(-1)
    assert torch.allclose(one.unflatten(1, (2, 2)), other.unflatten(1, (2, 2)).flip(2), atol=1e-5)
