"""Snapping: the exact matrix that a fitted one is near."""

import pytest
import torch

from lgn.discovery.filters.snap import snap
from lgn.measures import closure_error, orthogonality_error
from lgn.transforms import operator

TURN = operator("rotation", (3, 3), degrees=90)


@pytest.mark.parametrize("kind", ["orthogonal", "roots", "permutation"])
def test_noise_is_taken_away(kind: str) -> None:
    generator = torch.Generator().manual_seed(0)
    noisy = TURN + 0.03 * torch.randn(9, 9, generator=generator, dtype=torch.float64)
    snapped = snap(noisy, kind, order=4)
    assert float((snapped - TURN).norm()) < float((noisy - TURN).norm())
    if kind == "permutation":
        assert torch.equal(snapped, TURN)
    elif kind == "roots":
        assert float(closure_error(snapped, 4)) < 1e-10
        assert float(closure_error(noisy, 4)) > 1e-2
    else:
        assert float(orthogonality_error(snapped)) < 1e-12


def test_none_leaves_it_and_others_are_refused() -> None:
    assert snap(TURN, "none") is TURN
    with pytest.raises(ValueError, match=r"snap must be one of .* got 'round'"):
        snap(TURN, "round")
    with pytest.raises(ValueError, match=r"matrix must be \(d, d\), got shape \(3, 4\)"):
        snap(torch.zeros(3, 4), "orthogonal")
