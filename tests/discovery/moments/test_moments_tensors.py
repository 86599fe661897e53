"""Harmonic moments and their block statistics: the kernels that they are made for, and representation theory."""

import math

import pytest
import torch
from scipy.special import eval_gegenbauer
from torch import Tensor

from lgn.discovery.moments.ascent import climb, value_and_gradient
from lgn.discovery.moments.continuous import form, skew_basis
from lgn.discovery.moments.invariants import invariant_matrices
from lgn.discovery.moments.tensors import (
    block_statistic,
    derive,
    generic_violation,
    harmonic_moment,
    rotate,
)
from lgn.linalg import polar_factor

R = 5


def random_orthogonal(seed: int, r: int = R) -> Tensor:
    return polar_factor(torch.randn(r, r, generator=torch.Generator().manual_seed(seed), dtype=torch.float64))


def some_directions(count: int, seed: int = 0, r: int = R) -> Tensor:
    z = torch.randn(count, r, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return torch.nn.functional.normalize(z)


def kernel(degree: int, t: Tensor) -> Tensor:
    """The zonal polynomials, scaled to 1 at 1."""
    return torch.from_numpy(eval_gegenbauer(degree, R / 2 - 1, t.numpy()) / eval_gegenbauer(degree, R / 2 - 1, 1.0))


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_products_of_harmonics_are_gegenbauer_polynomials(degree: int) -> None:
    u = some_directions(6)
    h = torch.stack([harmonic_moment(row[None], degree) for row in u]).flatten(1)
    assert torch.allclose(h @ h.T, kernel(degree, u @ u.T), atol=1e-12)


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_moments_have_no_trace_and_turn_with_the_samples(degree: int) -> None:
    u, o = some_directions(50), random_orthogonal(1)
    moment = harmonic_moment(u, degree)
    assert float(moment.diagonal(dim1=0, dim2=1).sum(-1).abs().max()) < 1e-10
    assert torch.allclose(harmonic_moment(u @ o.T, degree), rotate(o, moment, degree), atol=1e-10)


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_generic_violation_is_the_mean_over_all_places(degree: int) -> None:
    o = torch.block_diag(random_orthogonal(2, 2), torch.diag(torch.tensor([1.0, -1.0, 1.0], dtype=torch.float64)))
    tensor = harmonic_moment(some_directions(3), degree)
    shares = []
    for seed in range(600):
        q = random_orthogonal(100 + seed)
        moved = rotate(q @ o @ q.T, tensor, degree)
        shares.append(float((1 - (moved * tensor).sum() / tensor.square().sum()) / 2))
    mean, spread = torch.tensor(shares).mean(), torch.tensor(shares).std() / math.sqrt(len(shares))
    assert abs(float(mean) - generic_violation(o, degree)) < 4 * float(spread)


def test_derivative_is_that_of_the_exponential() -> None:
    tensor = harmonic_moment(some_directions(20), 3)
    skew = skew_basis(R)[3].view(R, R)
    step = 1e-6
    ahead, behind = (rotate(torch.linalg.matrix_exp(sign * step * skew), tensor, 3) for sign in (1, -1))
    assert torch.allclose(derive(skew, tensor, 3), (ahead - behind) / (2 * step), atol=1e-7)


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_quadratic_form_of_the_lie_algebra(degree: int) -> None:
    moment = harmonic_moment(some_directions(20), degree)
    blocks = {degree: moment.expand(4, 1, *moment.shape)}  # without noise, products of blocks are those of the mean
    basis = skew_basis(R)
    derived = torch.stack([derive(skew.view(R, R), moment, degree) for skew in basis]).flatten(1)
    assert torch.allclose(form(blocks), derived @ derived.T, atol=1e-9)


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_gradient_is_that_of_autograd(degree: int) -> None:
    source, target = ({degree: harmonic_moment(some_directions(9, seed), degree)[None]} for seed in (0, 1))
    o = random_orthogonal(3)[None].requires_grad_()
    (rotate(o[0], source[degree], degree) * target[degree]).sum().backward()
    value, slope = value_and_gradient(o.detach(), source, target)
    assert o.grad is not None
    assert torch.allclose(slope, o.grad, atol=1e-10)
    assert torch.allclose(value[0], (rotate(o[0].detach(), source[degree], degree) * target[degree]).sum())


def test_climbing_never_descends_and_ends_where_the_gradient_is_symmetric() -> None:
    moments = {3: harmonic_moment(some_directions(30), 3)[None]}
    starts = torch.stack([random_orthogonal(seed) for seed in range(10)])
    before, _ = value_and_gradient(starts, moments, moments)
    tops, values = climb(starts, moments, steps=2000, tolerance=1e-12)
    assert bool((values >= before).all())
    slope = value_and_gradient(tops, moments, moments)[1] @ tops.mT
    assert float((slope - slope.mT).norm() / slope.norm()) < 1e-4


def test_invariant_matrices_commute_with_a_symmetry() -> None:
    flip = torch.diag(torch.tensor([1.0, 1, 1, -1, -1], dtype=torch.float64))
    u = some_directions(40)
    u = torch.cat([u, u @ flip])
    for matrix in invariant_matrices({degree: harmonic_moment(u, degree)[None] for degree in (1, 2, 3)}):
        assert torch.allclose(flip @ matrix, matrix @ flip, atol=1e-10)


def test_block_statistic_is_unbiased_and_its_error_is_right() -> None:
    """Of many draws: vectors with and without a mean, in 32 blocks."""
    generator = torch.Generator().manual_seed(0)
    for mean in (0.0, 0.3):
        noise = torch.randn(2000, 32, 40, generator=generator, dtype=torch.float64)
        blocks = noise + mean
        values, errors = block_statistic(blocks @ blocks.mT)
        assert abs(float(values.mean()) - 40 * mean**2) < 4 * float(values.std()) / math.sqrt(2000)
        assert float(errors.square().mean().sqrt() / values.std()) == pytest.approx(1.0, abs=0.12)
