"""The filters behind responses, seen whole or through a maximum."""

import pytest
import torch

from lgn.actions import orbit, unvec, vec
from lgn.discovery.filters import fit_generator
from lgn.discovery.filters.responses import bank_from_maxima, bank_from_responses
from lgn.transforms import operator

TURN = operator("rotation", (4, 4), degrees=90)


def test_responses_give_the_bank() -> None:
    generator = torch.Generator().manual_seed(0)
    x, bank = (torch.randn(n, 16, generator=generator, dtype=torch.float64) for n in (200, 12))
    torch.testing.assert_close(bank_from_responses(x, x @ bank.T), bank)


def test_a_turn_is_found_through_a_maximum() -> None:
    """Nothing but the largest response of each set is seen: filters, their order and the generator follow."""
    generator = torch.Generator().manual_seed(0)
    colour = torch.randn(16, 16, generator=generator, dtype=torch.float64)  # patches are correlated
    x = torch.randn(3000, 16, generator=generator, dtype=torch.float64) @ colour
    basis = torch.randn(16, 1, 4, 4, generator=generator, dtype=torch.float64)
    bank = vec(orbit(TURN, basis, 4).transpose(0, 1))[:, :, 0]  # (sets, order, d)
    filters, residuals = bank_from_maxima(x, torch.einsum("nd,kpd->nkp", x, bank).amax(-1), 4)
    assert float(residuals.max()) < 1e-7
    distances = torch.cdist(filters, bank)  # each filter is there, at some place of its set
    assert float(distances.amin(2).max()) < 1e-5
    assert torch.equal(distances.argmin(2).sort(1).values, torch.arange(4).expand(16, 4))
    fit = fit_generator(unvec(filters, (4, 4)).flatten(0, 1).unsqueeze(1), group=4, method="unordered", shuffles=1)
    assert min(float((fit.matrix - turn).norm()) for turn in (TURN, TURN.T)) < 1e-5


def test_what_is_no_maximum_is_not_said_to_be_solved() -> None:
    generator = torch.Generator().manual_seed(0)
    x = torch.randn(500, 6, generator=generator, dtype=torch.float64)
    minimum = (x @ torch.randn(6, 4, generator=generator, dtype=torch.float64)).amin(1, keepdim=True)
    _, residuals = bank_from_maxima(x, minimum, 4, restarts=5)
    assert float(residuals[0]) > 0.1


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"N at least d, got \(3, 6\) and \(3, 2\)"):
        bank_from_responses(torch.zeros(3, 6), torch.zeros(3, 2))
    with pytest.raises(ValueError, match=r"x and responses must be"):
        bank_from_maxima(torch.zeros(9, 6), torch.zeros(8, 2), 4)
