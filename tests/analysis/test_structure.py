"""Every score is 1 for an ideal member, at chance for noise, in between for a mixture, and never leaves [0, 1]."""

import pytest
import torch
from torch import Tensor

from lgn.analysis import scores, structure
from lgn.analysis.scores import NAMES, score
from lgn.transforms import operator

PATCH = (4, 6)
D = 24


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def of_offset(patch: tuple[int, int], wrap: bool) -> Tensor:
    """A matrix whose entries depend only on the offset between two pixels of the patch."""
    n, m = patch
    weights = random(2 * n, 2 * m)
    place = torch.arange(n * m)
    down = place[:, None] % n - place[None] % n
    right = place[:, None] // n - place[None] // n
    return weights[down % n, right % m] if wrap else weights[down, right]


def quadrants() -> Tensor:
    signs = torch.kron(torch.tensor([[1.0, -1.0], [-1.0, 1.0]], dtype=torch.float64), torch.ones(D // 2, D // 2))
    return signs * random(D, D).abs()


def orthogonal_blocks() -> Tensor:
    """Nine blocks of 4x4 with uncorrelated zero-mean patterns."""
    patterns = torch.linalg.qr(torch.cat([torch.ones(16, 1, dtype=torch.float64), random(16, 15)], dim=1))[0][:, 1:]
    return patterns.T[:9].reshape(3, 3, 4, 4).transpose(1, 2).reshape(12, 12)


def one_block() -> Tensor:
    """All energy in 4 of 36 blocks, which is a tenth rounded up."""
    matrix = torch.zeros(D, D, dtype=torch.float64)
    for row, column in ((0, 0), (1, 3), (5, 2), (4, 4)):
        matrix[4 * row : 4 * row + 4, 4 * column : 4 * column + 4] = random(4, 4)
    return matrix


def few_lines(transform: Tensor) -> Tensor:
    """A real matrix that has one conjugate pair of rows and one of columns in the basis of the unitary transform."""
    inside = torch.zeros(D, D, dtype=torch.complex128)
    inside[1], inside[:, 2] = torch.complex(random(D), random(D, seed=1)), torch.complex(random(D), random(D, seed=2))
    return (transform.mH @ inside @ transform).real


def dft(size: int) -> Tensor:
    return torch.fft.fft(torch.eye(size, dtype=torch.complex128), norm="ortho")


IDEAL = {
    "symmetric": random(D, D) + random(D, D).T,
    "skew-symmetric": random(D, D) - random(D, D).T,
    "Toeplitz": of_offset((D, 1), wrap=False),
    "block-Toeplitz": of_offset(PATCH, wrap=False),
    "circulant": of_offset((D, 1), wrap=True),
    "doubly block-circulant": of_offset(PATCH, wrap=True),
    "Kronecker": torch.kron(random(6, 6), random(4, 4)),
    "permutation": 0.3 * torch.eye(D, dtype=torch.float64)[torch.randperm(D)],
    "low stable rank": random(D, 1) @ random(1, D, seed=1),
    "low effective rank": random(D, 1) @ random(1, D, seed=1),
    "causal energy": random(D, D).triu(1),
    "causal sign": random(D, D).abs().triu(1) - random(D, D, seed=1).abs().tril(-1),
    "quadrant signs": quadrants(),
    "concentrated blocks": one_block(),
    "few Fourier lines": few_lines(dft(D)),
    "few 2-D Fourier lines": few_lines(torch.kron(dft(6), dft(4))),
}


def test_every_score_has_an_ideal() -> None:
    assert set(IDEAL) | {"block variety"} == set(NAMES)


@pytest.mark.parametrize("name", IDEAL)
def test_an_ideal_member_scores_one(name: str) -> None:
    assert float(score(IDEAL[name], PATCH)[name]) == pytest.approx(1, abs=1e-6)
    assert float(score(-2.5 * IDEAL[name], PATCH)[name]) == pytest.approx(0 if name == "permutation" else 1, abs=1e-6)


def test_variety_is_one_for_uncorrelated_blocks_and_zero_for_equal_ones() -> None:
    assert float(score(orthogonal_blocks(), (4, 3))["block variety"]) == pytest.approx(1)
    same = torch.kron(random(6, 6), random(4, 4))
    assert float(score(same, PATCH)["block variety"]) == pytest.approx(0, abs=1e-9)
    assert float(score(torch.eye(D), PATCH)["block variety"]) == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("name", IDEAL)
def test_a_mixture_has_a_score_between_chance_and_one(name: str) -> None:
    noise = random(200, D, D, seed=5)
    ideal = IDEAL[name] / IDEAL[name].norm() * D
    chance = float(score(noise, PATCH)[name].mean())
    values = [float(score(ideal + level * noise, PATCH)[name].mean()) for level in (0.1, 0.5, 2.0)]
    assert chance < values[2] < values[1] < values[0] < 1


def test_shares_of_energy_have_dimensions() -> None:
    assert set(scores.dimensions(PATCH)) == {
        "symmetric", "skew-symmetric", "Toeplitz", "block-Toeplitz", "circulant", "doubly block-circulant"
    }  # fmt: skip


def test_scores_stay_in_the_unit_interval() -> None:
    cases = [torch.zeros(D, D), torch.ones(D, D), torch.eye(D), *IDEAL.values(), *random(20, D, D)]
    for matrix in cases:
        for name, value in score(matrix.double(), PATCH).items():
            assert -1e-12 <= float(value) <= 1 + 1e-9, name


def test_zeros_score_zero() -> None:
    assert all(float(value) == 0 for value in score(torch.zeros(D, D), PATCH).values())


def test_kronecker_is_the_best_rank_one_of_blocks() -> None:
    """Alternating least squares finds no better product B (x) C."""
    a = random(D, D)
    blocks = a.reshape(6, 4, 6, 4).permute(0, 2, 1, 3)  # (block row, block column, 4, 4)
    c = random(4, 4, seed=3)
    for _ in range(500):
        b = torch.einsum("xyij,ij->xy", blocks, c) / c.square().sum()
        c = torch.einsum("xyij,xy->ij", blocks, b) / b.square().sum()
    error = (a - torch.kron(b, c)).square().sum() / a.square().sum()
    assert float(score(a, PATCH)["Kronecker"]) == pytest.approx(1 - float(error), abs=1e-6)


def test_odd_number_of_blocks_leaves_the_middle_out() -> None:
    n, m = 2, 3
    matrix = torch.ones(6, 6, dtype=torch.float64)
    matrix[2:4], matrix[:, 2:4] = random(2, 6), random(6, 2)
    assert float(score(matrix, (n, m))["quadrant signs"]) == 1


def test_batches_and_one_by_one_agree() -> None:
    a = random(2, 3, D, D)
    together = score(a, PATCH)
    for name in NAMES:
        assert together[name].shape == (2, 3)
        assert float(together[name][1, 2]) == pytest.approx(float(score(a[1, 2], PATCH)[name]), abs=1e-9)


def test_scores_of_shifts_survive_float32() -> None:
    """All singular values of a shift are equal, for which LAPACK's float32 eigenvalue solver fails."""
    shifts = [operator("shift", (6, 6), rows=r, columns=c, fill="cyclic") for r in range(6) for c in range(6)]
    for matrix in shifts:
        for divisor in (1, 3, 6, 7):
            small = (matrix / divisor).float()
            assert float(structure.kronecker(small, (6, 6))) == pytest.approx(1, abs=1e-5)
            assert all(float(value) == pytest.approx(0, abs=1e-4) for value in structure.low_rank(small))


OBLONG, LINE = (4, 3), (12,)


@pytest.mark.parametrize("patch", [LINE, OBLONG], ids=str)
def test_transform_is_f_a_f_inverse(patch: tuple[int, ...]) -> None:
    a = torch.randn(2, 12, 12, dtype=torch.float64)
    parts = [torch.fft.fft(torch.eye(size, dtype=torch.complex128)) for size in patch]
    f = parts[0] if len(parts) == 1 else torch.kron(parts[1], parts[0])
    assert torch.allclose(structure.transform(a, patch), f @ a.to(f.dtype) @ torch.linalg.inv(f))
    power = structure.transform(a, patch).abs().square()
    share = power.diagonal(dim1=-2, dim2=-1).sum(-1) / power.sum((-2, -1))
    assert torch.allclose(share, structure.offset_share(a, patch, wrap=True))


def test_a_random_circulant_matrix_has_its_diagonal() -> None:
    diagonal, circulant = structure.random_circulant(12)
    assert torch.allclose(structure.transform(circulant, LINE), diagonal, atol=1e-9)
    assert float(structure.offset_share(circulant, LINE, wrap=True)) == pytest.approx(1)


@pytest.mark.parametrize("patch", [LINE, OBLONG], ids=str)
def test_few_lines_by_definition(patch: tuple[int, ...]) -> None:
    a = torch.randn(12, 12, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    power = structure.transform(a, patch).abs().square()
    rows, columns = (power.sum(axis).argsort(descending=True)[:2] for axis in (1, 0))
    # The transform of a real matrix has rows in equal pairs: either of a pair may be the second.
    chosen = torch.zeros(12, 12, dtype=torch.bool)
    chosen[rows], chosen[:, columns] = True, True
    assert float(structure.few_lines(a, patch)) == pytest.approx(float(power[chosen].sum() / power.sum()), abs=0.02)
