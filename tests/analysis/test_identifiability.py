import pytest
import torch

from lgn.analysis import identifiability
from lgn.analysis.spectrum import root_distance, spectrum
from lgn.transforms import operator


def test_the_papers_setting_has_three_dimensions_a_filter() -> None:
    a = torch.randn(36, 36, dtype=torch.float64)
    for filters, dimension in ((1, 3), (3, 9)):  # grey, colour
        vectors = identifiability.applied_to(a, torch.randn(36, filters, dtype=torch.float64), order=4)
        basis = identifiability.span(vectors)
        assert vectors.shape == (36, filters * 3)
        assert basis.shape == (36, dimension)
        assert torch.allclose(basis.T @ basis, torch.eye(dimension, dtype=torch.float64), atol=1e-12)
        assert torch.allclose(basis @ basis.T @ vectors, vectors)


def test_a_change_off_u_changes_no_orbit() -> None:
    a, w = torch.randn(16, 16, dtype=torch.float64), torch.randn(16, 1, dtype=torch.float64)
    basis = identifiability.span(identifiability.applied_to(a, w, 4))
    off = torch.eye(16, dtype=torch.float64) - basis @ basis.T
    other = a + torch.randn(16, 16, dtype=torch.float64) @ off
    orbits = [torch.cat([torch.linalg.matrix_power(m, j) @ w for j in range(4)], 1) for m in (a, other)]
    assert torch.allclose(*orbits)
    assert not torch.allclose(a, other)


def test_the_span_does_not_depend_on_lengths() -> None:
    vectors = torch.zeros(5, 4)
    vectors[0, 0], vectors[1, 1] = 1.0, 1e-6
    vectors[:, 2] = vectors[:, 0]
    assert identifiability.span(vectors).shape == (5, 2)
    assert identifiability.span(torch.zeros(5, 3)).shape == (5, 0)


def test_energy_share_of_an_orthogonal_matrix_is_the_share_of_dimensions() -> None:
    basis = identifiability.span(torch.randn(16, 5))
    orthogonal = torch.linalg.qr(torch.randn(16, 16, dtype=torch.float64))[0]
    assert identifiability.energy_share(orthogonal, basis) == pytest.approx(5 / 16)
    assert identifiability.energy_share(basis @ basis.T, basis) == pytest.approx(1)


def test_change_share() -> None:
    basis = identifiability.span(torch.randn(16, 5))
    start = torch.randn(16, 16, dtype=torch.float64)
    on_u = torch.randn(16, 16, dtype=torch.float64) @ basis @ basis.T
    assert identifiability.change_share(start + on_u, start, basis) == pytest.approx(1)
    assert identifiability.change_share(start, start, basis) is None
    assert identifiability.change_share(start, None, basis) is None


def test_spectrum_of_a_quarter_turn() -> None:
    result = spectrum(operator("rotation", (6, 6), degrees=90), order=4)
    assert (result.rank, result.period, result.period_error) == (36, 4, 0)
    assert result.closure_error == 0
    assert result.root_distance == pytest.approx(0, abs=1e-9)
    assert result.condition_number == pytest.approx(1)
    # Each of the four fourth roots of unity is an eigenvalue nine times.
    rounded = sorted((round(real), round(imaginary)) for real, imaginary in result.eigenvalues)
    assert rounded == sorted([(1, 0), (-1, 0), (0, 1), (0, -1)] * 9)


def test_root_distance_is_zero_only_at_roots() -> None:
    roots = torch.polar(torch.ones(3, dtype=torch.float64), 2 * torch.pi * torch.arange(3, dtype=torch.float64) / 3)
    assert root_distance(roots, 3) == pytest.approx(0)
    assert root_distance(2 * roots, 3) == pytest.approx(1)
    assert root_distance(roots, 6) == pytest.approx(0)
    assert root_distance(roots, 2) > 0.1
