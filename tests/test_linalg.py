"""Linear algebra of batches of matrices."""

import pytest
import torch

from lgn import linalg
from lgn.measures import assert_orthogonal


@pytest.mark.parametrize("polar", [linalg.polar_factor, linalg.fast_polar_factor])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (2, 1, 3, 3)])
def test_a_polar_factor_leaves_a_positive_definite_matrix(polar, shape: tuple[int, ...]) -> None:  # type: ignore[no-untyped-def]
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    orthogonal = polar(matrix)
    assert_orthogonal(orthogonal)
    rest = orthogonal.mT @ matrix
    torch.testing.assert_close(rest, rest.mT)
    assert float(torch.linalg.eigvalsh(rest).min()) > 0


def test_the_fast_polar_factor_decomposes_singular_matrices() -> None:
    assert_orthogonal(linalg.fast_polar_factor(torch.diag(torch.tensor([1.0, 0.0, 2.0]))))


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
