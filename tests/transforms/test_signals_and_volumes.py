"""Operators of signals and volumes as matrices and as group elements."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor

import lgn
from lgn.actions import act, matrix_of, orbit, signed_permutations
from lgn.measures import nearest_period
from lgn.transforms import fits, move_axes, operator, parse_operator

SIGNAL, VOLUME = (9,), (3, 3, 3)


def applied(name: str, x: Tensor, **keywords: Any) -> Tensor:
    return act(operator(name, tuple(x.shape), **keywords), x, x.ndim)


def test_signals_by_their_definitions() -> None:
    x = torch.randn(9, dtype=torch.float64)
    assert torch.equal(applied("identity", x), x)
    assert torch.equal(applied("sign", x), -x)
    assert torch.equal(applied("reversal", x), x.flip(0))
    assert torch.equal(applied("shift", x, places=2), x.roll(2))
    later = applied("shift", x, places=2, fill="zeros")
    assert torch.equal(later[2:], x[:-2])
    assert not later[:2].any()
    assert not applied("shift", x, places=-9, fill="zeros").any()
    torch.testing.assert_close(applied("derivative", x)[3], (x[4] - x[2]) / 2)
    torch.testing.assert_close(applied("derivative", x, kind="forward")[3], x[4] - x[3])
    time = torch.arange(9, dtype=torch.float64)
    expected = x * torch.cos(2 * math.pi * 2 * time / 9 + math.pi / 2)
    torch.testing.assert_close(applied("modulation", x, cycles=2, degrees=90), expected)
    torch.testing.assert_close(applied("smoothing", torch.ones(9).double(), sigma=1.0), torch.ones(9).double())


def test_a_stretch_by_two_reads_at_half_the_way() -> None:
    """A line is stretched to a line of half the slope; the middle stays in place."""
    line = torch.arange(9, dtype=torch.float64) - 4
    torch.testing.assert_close(applied("stretch", line, factor=2.0), line / 2)
    x = torch.randn(9, dtype=torch.float64)
    torch.testing.assert_close(applied("stretch", x, factor=2.0)[::2], x[2:7])


def test_volumes_by_their_definitions() -> None:
    x = torch.randn(3, 3, 3, dtype=torch.float64)
    for axis in (1, 2, 3):
        assert torch.equal(applied("mirror", x, axis=axis), x.flip(axis - 1))
        turned = applied("turn", x, axis=axis, degrees=90)
        across = [other for other in range(3) if other != axis - 1]
        assert torch.equal(turned, x.rot90(1, across))
    assert torch.equal(applied("identity", x), x)
    assert torch.equal(applied("shift", x, first=1, third=-1), x.roll((1, -1), (0, 2)))
    torch.testing.assert_close(applied("blur", torch.ones_like(x), sigma=1.0), torch.ones_like(x))
    along = x.sum((0, 1))  # a blur of a volume is that of each axis after the other
    flat = x.sum((0, 1), keepdim=True).expand(3, 3, 3) / 9
    torch.testing.assert_close(applied("blur", flat, sigma=0.7)[0, 0], applied("smoothing", along / 9, sigma=0.7))


def test_the_cube_has_48_symmetries_and_they_multiply_as_their_matrices() -> None:
    known = signed_permutations(3)
    matrices = torch.stack([operator("cube", VOLUME, number=number) for number in range(48)])
    assert len({tuple(each.argmax(0).tolist()) for each in matrices}) == 48
    for a, b in torch.randint(48, (30, 2)).tolist():
        product = next(i for i, each in enumerate(known) if torch.equal(each, known[a] @ known[b]))
        assert torch.equal(matrices[a] @ matrices[b], matrices[product])
    assert torch.equal(matrices[0], torch.eye(27, dtype=torch.float64))
    named = [operator("mirror", VOLUME, axis=axis) for axis in (1, 2, 3)]
    named += [operator("turn", VOLUME, axis=axis, degrees=90) for axis in (1, 2, 3)]
    assert all(any(torch.equal(one, each) for each in matrices) for one in named)
    assert len(lgn.groups.from_matrices(torch.stack([*named[:1], *named[3:5]])).group.table) == 48


def test_symmetries_of_the_cube_that_keep_the_sizes_of_a_box() -> None:
    assert sum(fits((3, 3, 2), each) for each in signed_permutations(3)) == 16
    assert sum(fits((4, 3, 2), each) for each in signed_permutations(3)) == 8


@pytest.mark.parametrize(
    ("name", "patch", "keywords", "argument"),
    [
        ("turn", (3, 3, 2), {"axis": 1}, "patch"),
        ("cube", (3, 3, 2), {"number": 8}, "patch"),
        ("turn", VOLUME, {"degrees": 45}, "degrees"),
        ("mirror", VOLUME, {"axis": 4}, "axis"),
        ("cube", VOLUME, {"number": 48}, "number"),
        ("rotation", SIGNAL, {"degrees": 90}, "name"),
        ("identity", (2, 2, 2, 2), {}, "patch"),
        ("stretch", SIGNAL, {"factor": -1}, "factor"),
    ],
)
def test_wrong_arguments_are_named(name: str, patch: tuple[int, ...], keywords: Any, argument: str) -> None:
    with pytest.raises(ValueError, match=f"{argument} must"):
        operator(name, patch, **keywords)


@pytest.mark.parametrize("signed", signed_permutations(2))
def test_moving_axes_moves_places(signed: Tensor) -> None:
    """The value at s moves to S s, about the centre."""
    x = torch.randn(3, 3)
    moved = move_axes(x, signed)
    for i in range(3):
        for j in range(3):
            a, b = (signed @ torch.tensor([i - 1.0, j - 1.0]).double() + 1).int().tolist()
            assert moved[a, b] == x[i, j]


def test_operators_by_their_words() -> None:
    assert torch.equal(
        parse_operator("reversal then shift 2", SIGNAL), matrix_of(lambda x: x.flip(-1).roll(2, -1), SIGNAL)
    )
    assert torch.equal(parse_operator("turn 2 180", VOLUME), operator("turn", VOLUME, axis=2, degrees=180))
    assert nearest_period(parse_operator("shift 1", SIGNAL))[0] == 9
    with pytest.raises(ValueError, match="name"):
        parse_operator("rotation 90", VOLUME)


@pytest.mark.parametrize(
    ("text", "patch"),
    [("shift 1", SIGNAL), ("reversal", SIGNAL), ("stretch 2", SIGNAL), ("turn 3 90", VOLUME), ("mirror 2", VOLUME)],
)
@pytest.mark.parametrize("noise", [0.0, 1e-4])
def test_planted_operators_are_recovered(text: str, patch: tuple[int, ...], noise: float) -> None:
    """From a bank of sets `[W, A W]` with noise on the filters."""
    torch.manual_seed(0)
    matrix, axes, d = parse_operator(text, patch), len(patch), math.prod(patch)
    bank = orbit(matrix, torch.randn(4 * d, 1, *patch, dtype=torch.float64), 2, axes).transpose(0, 1).flatten(0, 1)
    fit = lgn.fit_generator(bank + noise * torch.randn_like(bank), group=2)
    assert float((fit.matrix - matrix).norm() / matrix.norm()) <= 1e-3
    assert fit.p_value <= 0.05
