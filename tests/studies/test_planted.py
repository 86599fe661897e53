"""Structures that are planted in a network: they are there, with the start beside them, and analyses find them."""

import pytest
import torch
from torch import Tensor

from lgn.actions import vec
from lgn.analysis import analyze_matrices
from lgn.analysis.structure import energy, offset_share, quadrant_signs, symmetry
from lgn.generators import Share
from lgn.nn import OrbitBank
from lgn.training import build_model, preset, snapshot
from studies.truth.controls import PARTS, planted

PATCH, ORDER = (4, 4), 4
SCORES = {
    "skew-symmetric": lambda a: symmetry(a)[1],
    "Toeplitz": lambda a: offset_share(a, (a.shape[-1],)),
    "multi-scale": lambda a: quadrant_signs(a, PATCH),
}


def _trained(channels: int, share: Share) -> tuple[OrbitBank, torch.nn.Module, dict[str, Tensor]]:
    """A network whose generators have left their start."""
    torch.manual_seed(0)
    config = preset("paper", num_layers=1, num_sets=6, kernel_size=4, share=share)
    model = build_model(config, (channels, 16, 16), 10, "classify")
    initial = snapshot(model)
    bank = model.encoder.bank
    with torch.no_grad():
        bank.generator.weight.add_(torch.randn_like(bank.generator.weight))
    return bank, model, initial


@pytest.mark.parametrize("name", PARTS)
def test_a_part_has_its_structure_and_a_matrix_that_has_it_is_its_own_part(name: str) -> None:
    matrices = torch.randn(5, 16, 16, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    part = PARTS[name](matrices, PATCH)
    torch.testing.assert_close(SCORES[name](part), torch.ones(5, dtype=torch.float64))
    torch.testing.assert_close(PARTS[name](part, PATCH), part)
    assert float(SCORES[name](matrices).max()) < 0.8


def _unfolded(bank: OrbitBank, share: Share) -> tuple[Tensor, list[Tensor]]:
    """The generators (G, d, d), and of each the bases that its orbits begin with, as columns."""
    learned = bank.generator.matrix().detach().double().flatten(0, 1)
    bases = vec(bank.basis.detach().double())  # (S, C, d)
    first = [each[:, None] for each in bases.flatten(0, 1)] if share == "channel" else [each.mT for each in bases]
    return learned, first


def _span(matrix: Tensor, first: Tensor) -> Tensor:
    """The projector on what the first p - 1 elements of the orbits span."""
    columns = torch.cat([torch.linalg.matrix_power(matrix, k) @ first for k in range(ORDER - 1)], -1)
    left, values, _ = torch.linalg.svd(columns, full_matrices=False)
    left = left[:, values > 1e-9 * values[0]]
    return left @ left.mT


@pytest.mark.parametrize(("channels", "share"), [(1, "set"), (2, "set"), (2, "channel")])
def test_the_action_and_the_start_have_the_energy_of_the_learned_generator(channels: int, share: Share) -> None:
    bank, model, initial = _trained(channels, share)
    learned, first = _unfolded(bank, share)
    starts = initial["encoder.bank.generator.matrix"].double().flatten(0, 1)
    whole, names = planted(model, initial, share, through_filters=False)
    through, _ = planted(model, initial, share, through_filters=True)
    for k, name in enumerate(names):
        on = _span(learned[k], first[k])
        action = PARTS[name](learned[k : k + 1], PATCH)[0]
        wanted = float(energy(learned[k] @ on)), float(energy(learned[k] - learned[k] @ on))
        there = [(w / float(energy(m))) ** 0.5 * m for w, m in zip(wanted, (action, starts[k]), strict=True)]
        torch.testing.assert_close(whole.matrices[k], there[0] + there[1], rtol=1e-4, atol=1e-5)
        # What filters cannot say is the start; on what they can say, the matrix is the action, but for its scale.
        span = _span(action, first[k])
        seen, rest = through.matrices[k] @ span, through.matrices[k] - through.matrices[k] @ span
        assert float(energy(seen)) == pytest.approx(wanted[0], rel=1e-4)
        assert float(energy(rest)) == pytest.approx(wanted[1], rel=1e-4)
        assert float(torch.cosine_similarity(seen.flatten(), (action @ span).flatten(), 0)) > 1 - 1e-6
        assert float(torch.cosine_similarity(rest.flatten(), (starts[k] - starts[k] @ span).flatten(), 0)) > 1 - 1e-6


def test_each_structure_is_planted_in_turn_and_only_there_it_is_found() -> None:
    _, model, initial = _trained(4, "set")  # the orbits of four channels span 12 of 16 dimensions
    made, names = planted(model, initial, "set", through_filters=False)
    assert names == [*PARTS, *PARTS]
    analysis = analyze_matrices(made.matrices, patch=PATCH, filters=made.filters, order=ORDER, draws=200)
    found = [{finding.name for finding in each.findings} for each in analysis.generators]
    for name in ("skew-symmetric", "Toeplitz"):
        assert all(name in some for some, there in zip(found, names, strict=True) if there == name)
    assert not any("Toeplitz" in some for some, there in zip(found, names, strict=True) if there == "skew-symmetric")
