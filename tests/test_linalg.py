"""Linear algebra of batches of matrices."""

import pytest
import torch

from lgn import linalg
from lgn.measures import orthogonality_error, tolerance


@pytest.mark.parametrize("polar", [linalg.polar_factor, linalg.fast_polar_factor])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (2, 1, 3, 3)])
def test_a_polar_factor_leaves_a_positive_definite_matrix(polar, shape: tuple[int, ...]) -> None:  # type: ignore[no-untyped-def]
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    orthogonal = polar(matrix)
    assert float(orthogonality_error(orthogonal).max()) <= tolerance(torch.float64)
    rest = orthogonal.mT @ matrix
    torch.testing.assert_close(rest, rest.mT)
    assert float(torch.linalg.eigvalsh(rest).min()) > 0


def test_the_fast_polar_factor_decomposes_singular_matrices() -> None:
    factor = linalg.fast_polar_factor(torch.diag(torch.tensor([1.0, 0.0, 2.0])))
    assert float(orthogonality_error(factor)) <= tolerance(torch.float32)


def test_an_assignment_has_the_largest_total_score() -> None:
    scores = torch.tensor([[[1.0, 2.0], [0.0, 5.0]], [[1.0, 9.0], [1.0, 1.0]]])
    assert linalg.assignment(scores).tolist() == [[0, 1], [1, 0]]
    assert linalg.assignment(scores[1]).tolist() == [1, 0]


def test_the_nearest_permutation_of_a_perturbed_permutation() -> None:
    permutations = torch.eye(4)[torch.tensor([[2, 0, 3, 1], [0, 1, 3, 2]])]
    noise = 0.3 * torch.rand(permutations.shape, generator=torch.Generator().manual_seed(0))
    assert torch.equal(linalg.nearest_permutation(permutations + noise), permutations)


def test_double_keeps_the_device_and_identity_like_the_type() -> None:
    assert linalg.double(torch.zeros(2, dtype=torch.bfloat16)).dtype == torch.float64
    assert linalg.identity_like(torch.zeros(3, 2, 2, dtype=torch.float64)).dtype == torch.float64


def test_least_squares_off_the_span_is_the_smallest() -> None:
    x = torch.randn(50, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    exact = torch.randn(2, 6, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    torch.testing.assert_close(linalg.least_squares(x, x @ exact.mT), exact)
    x[:, 4:] = 0
    fitted = linalg.least_squares(x, x @ exact[0].T)
    torch.testing.assert_close(fitted[:, :4], exact[0][:, :4])
    assert torch.equal(fitted[:, 4:], torch.zeros(6, 2, dtype=torch.float64))


def test_a_ridge_shrinks() -> None:
    x = torch.randn(100, 5, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    norms = [float(linalg.least_squares(x, x, ridge).norm()) for ridge in (0.0, 0.1, 1.0)]
    assert norms[0] > norms[1] > norms[2]
