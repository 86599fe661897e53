import pytest
import torch

from lgn.analysis import fourier, structure

PATCH, LINE = (4, 3), (12,)


@pytest.mark.parametrize("patch", [LINE, PATCH], ids=str)
def test_transform_is_f_a_f_inverse(patch: tuple[int, ...]) -> None:
    a = torch.randn(2, 12, 12, dtype=torch.float64)
    parts = [torch.fft.fft(torch.eye(size, dtype=torch.complex128)) for size in patch]
    f = parts[0] if len(parts) == 1 else torch.kron(parts[1], parts[0])
    assert torch.allclose(fourier.transform(a, patch), f @ a.to(f.dtype) @ torch.linalg.inv(f))
    power = fourier.transform(a, patch).abs().square()
    share = power.diagonal(dim1=-2, dim2=-1).sum(-1) / power.sum((-2, -1))
    assert torch.allclose(share, structure.offset_share(a, patch, wrap=True))


def test_a_random_circulant_matrix_has_its_diagonal() -> None:
    diagonal, circulant = fourier.random_circulant(12)
    assert torch.allclose(fourier.transform(circulant, LINE), diagonal, atol=1e-9)
    assert float(structure.offset_share(circulant, LINE, wrap=True)) == pytest.approx(1)


@pytest.mark.parametrize("patch", [LINE, PATCH], ids=str)
def test_few_lines_by_definition(patch: tuple[int, ...]) -> None:
    a = torch.randn(12, 12, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    power = fourier.transform(a, patch).abs().square()
    rows, columns = (power.sum(axis).argsort(descending=True)[:2] for axis in (1, 0))
    # The transform of a real matrix has rows in equal pairs: either of a pair may be the second.
    chosen = torch.zeros(12, 12, dtype=torch.bool)
    chosen[rows], chosen[:, columns] = True, True
    assert float(fourier.few_lines(a, patch)) == pytest.approx(float(power[chosen].sum() / power.sum()), abs=0.02)
