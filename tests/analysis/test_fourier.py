import pytest
import torch

from lgn.analysis import fourier, structure

PATCH = (4, 3)


@pytest.mark.parametrize("basis", fourier.BASES)
def test_transform_is_f_a_f_inverse(basis: str) -> None:
    a = torch.randn(2, 12, 12, dtype=torch.float64)
    one, two = (torch.fft.fft(torch.eye(size, dtype=torch.complex128)) for size in PATCH)
    f = torch.fft.fft(torch.eye(12, dtype=torch.complex128)) if basis == "1-D" else torch.kron(two, one)
    assert torch.allclose(fourier.transform(a, PATCH, basis), f @ a.to(f.dtype) @ torch.linalg.inv(f))


def test_the_diagonal_share_is_the_circulant_score() -> None:
    a = torch.randn(5, 12, 12, dtype=torch.float64)
    for basis, score in (
        ("1-D", structure.offset_share(a, (12,), wrap=True)),
        ("2-D", structure.offset_share(a, PATCH, wrap=True)),
    ):
        power = fourier.transform(a, PATCH, basis).abs().square()
        share = power.diagonal(dim1=-2, dim2=-1).sum(-1) / power.sum((-2, -1))
        assert torch.allclose(share, score)


def test_a_random_circulant_matrix_has_its_diagonal() -> None:
    diagonal, circulant = fourier.random_circulant(12)
    assert torch.allclose(fourier.transform(circulant, PATCH), diagonal, atol=1e-9)
    assert float(structure.offset_share(circulant, (12,), wrap=True)) == pytest.approx(1)


@pytest.mark.parametrize("basis", fourier.BASES)
def test_few_lines_by_definition(basis: str) -> None:
    a = torch.randn(12, 12, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    power = fourier.transform(a, PATCH, basis).abs().square()
    rows, columns = (power.sum(axis).argsort(descending=True)[:2] for axis in (1, 0))
    # The transform of a real matrix has rows in equal pairs: either of a pair may be the second.
    chosen = torch.zeros(12, 12, dtype=torch.bool)
    chosen[rows], chosen[:, columns] = True, True
    assert float(fourier.few_lines(a, PATCH, basis)) == pytest.approx(
        float(power[chosen].sum() / power.sum()), abs=0.02
    )
