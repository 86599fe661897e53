"""Balance: rho is a distance of second moments, its references are those of operators, and the verdicts."""

import pytest
import torch
from torch import Tensor

from lgn.answer import Verdict
from lgn.discovery.networks.balance import (
    Balance,
    _ring_permutations,
    cosine_basis,
    measure_balance,
    random_signs,
    references,
)
from lgn.discovery.networks.copies import twists
from lgn.discovery.networks.filter_bank import make_bank
from lgn.discovery.networks.filter_maps import FilterMap, exchanges_axes, symmetries_of

SYMMETRIES = symmetries_of((5, 5))


def bank(count: int = 14, channels: int = 2, n: int = 5, seed: int = 0) -> Tensor:
    return make_bank(torch.randn(count, channels, n, n, generator=torch.Generator().manual_seed(seed))).filters


def rho_by_moments(x: Tensor, moved: Tensor) -> float:
    """Half the squared distance of the second moments, relative to filters that are transformed independently."""
    first, second = (filters.flatten(1).T @ filters.flatten(1) for filters in (x, moved))
    own = 1 - (x.flatten(1) * moved.flatten(1)).sum(1) ** 2
    return float((first - second).square().sum() / 2 / own.sum())


@pytest.mark.parametrize("filter_map", SYMMETRIES, ids=lambda filter_map: filter_map.transformation.name)
def test_rho_is_the_distance_of_second_moments(filter_map: FilterMap) -> None:
    x = bank()
    generator = torch.Generator().manual_seed(0)
    signs, exchanges, rings = references(x, 19, generator)
    exponents = twists(filter_map.order, len(x), 9, generator)
    smooth = exchanges if exchanges_axes(filter_map.element) else signs
    found = measure_balance(filter_map.cosines(x), exponents, filter_map.order, smooth, rings)
    assert found.rho == pytest.approx(rho_by_moments(x, filter_map.power(x, 1)))


def test_a_twisted_rho_is_that_of_turned_filters() -> None:
    turn, x = SYMMETRIES[0], bank()
    exponents = twists(4, len(x), 40, torch.Generator().manual_seed(0))
    _, smooth, rings = references(x, 9, torch.Generator().manual_seed(0))
    found = measure_balance(turn.cosines(x), exponents, 4, smooth, rings)
    values = []
    for exponent in exponents:
        turned = torch.stack([turn.power(x[i : i + 1], int(h))[0] for i, h in enumerate(exponent)])
        values.append(rho_by_moments(turned, turn.power(turned, 1)))
    assert found.p_broken == pytest.approx(sum(value >= values[0] - 1e-9 for value in values) / len(values))


@pytest.mark.parametrize("n", [5, 8])  # large kernels need less memory
def test_references_are_rho_of_operators(n: int) -> None:
    x, draws = bank(n=n), 5
    plain, exchanged, rings = references(x, draws, torch.Generator().manual_seed(3))
    generator = torch.Generator().manual_seed(3)
    waves, signs = cosine_basis(n, n), random_signs(draws, n * n, generator)
    orders = _ring_permutations((n, n), draws, generator)
    for draw in range(draws):
        operator = waves.T @ torch.diag(signs[draw]) @ waves
        for values, source in ((plain, x), (exchanged, x.mT)):
            moved = (source.flatten(2) @ operator.T).reshape(x.shape)
            assert float(values[draw]) == pytest.approx(rho_by_moments(x, moved))
        permuted = x.flatten(2)[..., orders[draw]].reshape(x.shape)
        assert float(rings[draw]) == pytest.approx(rho_by_moments(x, permuted))


def test_the_cosines_are_orthonormal_and_flips_are_signs_of_them() -> None:
    waves = cosine_basis(4, 5)
    assert torch.allclose(waves @ waves.T, torch.eye(20, dtype=torch.float64), atol=1e-12)
    flip = torch.arange(20).view(4, 5).flip(-1).flatten()
    signs = waves[:, flip] @ waves.T
    assert torch.allclose(signs.abs(), torch.eye(20, dtype=torch.float64), atol=1e-12)


def test_ring_permutations_keep_the_distance_from_the_centre() -> None:
    place = torch.arange(7) - 3
    squared = (place[:, None] ** 2 + place**2).flatten()
    orders = _ring_permutations((7, 7), 20, torch.Generator().manual_seed(0))
    assert (squared[orders] == squared).all()
    assert (orders.sort(1).values == torch.arange(49)).all()
    assert (orders != torch.arange(49)).any()


@pytest.mark.parametrize(
    ("rho", "smooth", "p_kept", "p_broken", "expected"),
    [
        (0.9, 3.0, 0.01, 0.6, "kept"),
        (0.9, 1.1, 0.01, 0.6, "undecided"),  # smooth operators have similar values
        (0.9, 3.0, 0.2, 0.6, "undecided"),
        (4.0, 3.0, 1.0, 0.01, "broken"),
        (1.2, 3.0, 0.01, 0.01, "undecided"),  # hardly above chance
    ],
)
def test_verdicts(rho: float, smooth: float, p_kept: float, p_broken: float, expected: Verdict) -> None:
    assert Balance(rho, smooth, smooth, p_kept, p_broken).verdict == expected
