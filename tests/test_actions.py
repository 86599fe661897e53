"""The paper's statements about `vec`, the action and orbits (Def. 1, Props. 1 and 2, eqs. 6-9)."""

import itertools
import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from lgn.actions import act, matrix_of, orbit, pixels, power, signed_permutations, unvec, vec
from lgn.measures import tolerance

property_test = settings(max_examples=25, deadline=None)
sizes = st.integers(1, 5)
seeds = st.integers(0, 2**31 - 1)
dtypes = st.sampled_from([torch.float32, torch.float64])
patches = st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple)  # of signals, images and volumes


def gaussian(seed: int, dtype: torch.dtype, *shape: int) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def assert_near(actual: Tensor, expected: Tensor) -> None:
    """Equal up to the tolerance of the type, relative to the expected norm."""
    assert actual.shape == expected.shape
    assert actual.dtype == expected.dtype
    assert (actual - expected).norm() <= tolerance(expected.dtype) * max(1.0, float(expected.norm()))


@property_test
@given(n=sizes, m=sizes, seed=seeds, dtype=dtypes)
def test_vec_is_its_kronecker_form(n: int, m: int, seed: int, dtype: torch.dtype) -> None:
    """`vec(A) = sum_i e_i (x) A e_i` (Def. 1), and entry (i, j) is entry j n + i."""
    x = gaussian(seed, dtype, n, m)
    units = torch.eye(m, dtype=dtype)
    assert_near(vec(x), sum(torch.kron(units[i], x @ units[i]) for i in range(m)))
    assert [float(vec(x)[j * n + i]) for i in range(n) for j in range(m)] == x.flatten().tolist()


@property_test
@given(n=sizes, m=sizes, seed=seeds, dtype=dtypes)
def test_unvec_is_its_kronecker_form(n: int, m: int, seed: int, dtype: torch.dtype) -> None:
    """`vec^-1(a) = (vec(I_m)^T (x) I_n)(I_m (x) a)` (eq. 7), the inverse of `vec`."""
    a = gaussian(seed, dtype, n * m)
    eye_n, eye_m = torch.eye(n, dtype=dtype), torch.eye(m, dtype=dtype)
    left = torch.kron(eye_m.T.flatten().unsqueeze(0), eye_n)  # (n, n m m)
    assert_near(unvec(a, (n, m)), left @ torch.kron(eye_m, a.unsqueeze(1)))
    assert torch.equal(vec(unvec(a, (n, m))), a)


@property_test
@given(patch=patches, seed=seeds, dtype=dtypes, scale=st.floats(-3, 3, allow_subnormal=False))
def test_the_action_is_linear(patch: tuple[int, ...], seed: int, dtype: torch.dtype, scale: float) -> None:
    axes, d = len(patch), math.prod(patch)
    a, (x, y) = gaussian(seed, dtype, d, d), gaussian(seed + 1, dtype, 2, *patch)
    assert_near(act(a, scale * x + y, axes), scale * act(a, x, axes) + act(a, y, axes))
    backwards = tuple(reversed(range(axes)))  # row-major with the axes in reverse has the first one fastest
    assert_near(act(a, x, axes), (a @ x.permute(backwards).flatten()).reshape(patch[::-1]).permute(backwards))


@property_test
@given(patch=patches, seed=seeds, dtype=dtypes)
def test_any_linear_map_is_an_action(patch: tuple[int, ...], seed: int, dtype: torch.dtype) -> None:
    """Prop. 2: a map that mixes all entries, a sum of products over the axes, is `phi_A` for the A built from it."""
    mixed = [gaussian(seed + axis, dtype, 3, n, n) for axis, n in enumerate(patch)]

    def mix(x: Tensor) -> Tensor:
        terms = [x, x, x]
        for axis, matrices in enumerate(mixed, -len(patch)):
            terms = [(term.movedim(axis, -1) @ b.T).movedim(-1, axis) for term, b in zip(terms, matrices, strict=True)]
        return torch.stack(terms).sum(0)

    x = gaussian(seed + 4, dtype, 4, *patch)
    assert_near(act(matrix_of(mix, patch, dtype), x, len(patch)), mix(x))


@property_test
@given(patch=patches, seed=seeds, dtype=dtypes)
def test_the_first_axis_is_the_fastest_for_any_number_of_axes(patch: tuple[int, ...], seed: int, dtype: Any) -> None:
    """Entry (i, j, k) is entry `(k m + j) n + i`, a signal is its own vector, and `unvec` is the inverse of `vec`."""
    x = gaussian(seed, dtype, 2, *patch)
    v = vec(x, len(patch))
    for place in itertools.product(*map(range, patch)):
        number = 0
        for index, size in zip(reversed(place), reversed(patch), strict=True):
            number = number * size + index
        assert torch.equal(v[:, number], x[(slice(None), *place)])
        assert pixels(patch)[number].tolist() == list(place)
    assert torch.equal(unvec(v, patch), x)
    assert len(patch) > 1 or torch.equal(v, x)
    assert len(patch) != 2 or torch.equal(v, vec(x))


@property_test
@given(patch=patches, seed=seeds, dtype=dtypes)
def test_action_and_orbit_on_any_number_of_axes(patch: tuple[int, ...], seed: int, dtype: Any) -> None:
    """`phi_A` is A on vectors, `matrix_of` returns A, and an orbit consists of the powers of A."""
    axes, d = len(patch), math.prod(patch)
    a, x = gaussian(seed, dtype, d, d) / d**0.5, gaussian(seed + 1, dtype, 3, *patch)
    assert_near(vec(act(a, x, axes), axes), vec(x, axes) @ a.T)
    assert_near(matrix_of(lambda x: act(a, x, axes), patch, dtype), a)
    elements = orbit(a, x, 3, axes)
    assert elements.shape == (3, *x.shape)
    assert_near(elements[2], act(a @ a, x, axes))


@pytest.mark.parametrize(("axes", "count"), [(1, 2), (2, 8), (3, 48)])
def test_the_symmetries_of_segment_square_and_cube(axes: int, count: int) -> None:
    """They are distinct, orthogonal and closed under products."""
    found = signed_permutations(axes)
    assert found.shape == (count, axes, axes)
    assert torch.equal(found[0], torch.eye(axes, dtype=torch.float64))
    assert torch.equal(found @ found.mT, torch.eye(axes, dtype=torch.float64).expand_as(found))
    known = {tuple(matrix.flatten().tolist()) for matrix in found}
    assert len(known) == count
    assert {tuple((a @ b).flatten().tolist()) for a in found for b in found} == known


def swap_corners(x: Tensor) -> Tensor:
    """Prop. 1: exchange the top left and the bottom right entry."""
    swapped = x.clone()
    swapped[..., 0, 0], swapped[..., -1, -1] = x[..., -1, -1], x[..., 0, 0]
    return swapped


@property_test
@given(n=sizes, m=st.integers(2, 5), seed=seeds, dtype=dtypes)
def test_the_corner_swap_is_an_action_and_not_a_row_matrix(n: int, m: int, seed: int, dtype: torch.dtype) -> None:
    """Prop. 1. The best `W -> B W` over the unit filters has a known residual.

    For `I_m (x) B`, the optimal B differs between the columns of the patch: `I - E_11` for the first, `I - E_nn` for
    the last, I for the others; the two swapped entries lie outside of any B. The best B is the mean.
    """
    x = gaussian(seed, dtype, 7, n, m)
    a = matrix_of(swap_corners, (n, m), dtype)
    assert_near(act(a, x), swap_corners(x))
    # B W = f(W) for every unit filter W is a least-squares problem for B with the filters side by side.
    units = unvec(torch.eye(n * m, dtype=dtype), (n, m))
    inputs, outputs = units.transpose(0, 1).flatten(1), swap_corners(units).transpose(0, 1).flatten(1)  # (n, d m)
    b = outputs @ torch.linalg.pinv(inputs)
    residual = float((b @ inputs - outputs).square().sum())
    # Two swapped entries, and for each corner's entry in B the variance 1 - 1/m of m values, one 0 and the others 1.
    # With a single row, both corners have the same entry: m - 2 ones among m values.
    spread = 2 * (1 - 1 / m) if n > 1 else (m - 2) * 2 / m
    assert residual == pytest.approx(2 + spread, rel=1e-4)
    assert residual > 1.9


@property_test
@given(patch=patches, order=st.integers(1, 6), seed=seeds, dtype=dtypes)
def test_an_orbit_consists_of_the_powers_of_its_generator(
    patch: tuple[int, ...], order: int, seed: int, dtype: Any
) -> None:
    """Eq. 9, with a generator per set, shared by all channels."""
    axes, d = len(patch), math.prod(patch)
    a = gaussian(seed, dtype, 2, 1, d, d) / d**0.5
    w = gaussian(seed + 1, dtype, 2, 3, *patch)
    elements = orbit(a, w, order, axes)
    assert elements.shape == (order, 2, 3, *patch)
    for j in range(order):
        assert_near(elements[j], act(power(a, j), w, axes))


@pytest.mark.parametrize("patch", [(6,), (2, 3), (1, 3, 2)], ids=str)
@pytest.mark.parametrize("order", [1, 4])
def test_the_gradient_of_an_orbit(order: int, patch: tuple[int, ...]) -> None:
    """Against finite differences, through generator and basis, with broadcasting."""
    axes = len(patch)
    a = gaussian(0, torch.float64, 2, 1, 6, 6).requires_grad_()
    w = gaussian(1, torch.float64, 2, 2, *patch).requires_grad_()
    assert torch.autograd.gradcheck(lambda a, w: orbit(a, w, order, axes), (a, w))
    assert torch.autograd.gradcheck(lambda a, w: act(a, w, axes), (a, w))


def test_an_orbit_has_the_leading_dimensions_of_a_larger_generator() -> None:
    elements = orbit(gaussian(0, torch.float64, 3, 6, 6), gaussian(1, torch.float64, 2, 3), 2)
    assert elements.shape == (2, 3, 2, 3)
    assert torch.equal(elements[0, 0], elements[0, 2])


def test_a_negative_power_is_the_inverse() -> None:
    a = gaussian(0, torch.float64, 3, 5, 5)
    assert_near(power(a, -2) @ a @ a, torch.eye(5, dtype=torch.float64).expand(3, 5, 5))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: vec(torch.zeros(3)), r"x.*\(n, m\).*\(3,\)"),
        (lambda: vec(torch.zeros(3, 3), 3), r"x.*\(n, m, l\).*\(3, 3\)"),
        (lambda: unvec(torch.zeros(5), (2, 1, 3)), "v.*6.*2x1x3.*5"),
        (lambda: act(torch.eye(5), torch.zeros(2, 3)), r"generator.*\(6, 6\).*\(5, 5\)"),
        (lambda: act(torch.zeros(6), torch.zeros(2, 3)), r"generator.*\(6, 6\)"),
        (lambda: orbit(torch.zeros(6, 5), torch.zeros(2, 3), 2), r"generator.*\(6, 6\)"),
        (lambda: orbit(torch.eye(6), torch.zeros(2, 3), 0), "order.*0"),
    ],
)
def test_bad_arguments_are_refused(call, message: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=message):
        call()
