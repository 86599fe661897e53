"""Lifting: free filters become orbits of the generator that they show."""

import pytest
import torch
from torch import nn

from lgn.actions import orbit
from lgn.discovery.filters import lift, lift_bank
from lgn.generators import Dense, Fixed, generators_of
from lgn.measures import closure_error
from lgn.nn import Autoencoder, Classifier, FreeBank, OrbitBank, UnfoldedEncoder
from lgn.transforms import operator

TURN = operator("rotation", (4, 4), degrees=90)


def free_model(noise: float, sets: int = 12, layers: int = 2) -> Autoencoder:
    """A free network whose filters are nearly orbits of the quarter turn."""
    torch.manual_seed(0)
    encoder = UnfoldedEncoder(1, sets, 4, num_layers=layers, group=4, generator="free", normalise=False, step="safe")
    assert isinstance(encoder.bank, FreeBank)
    with torch.no_grad():
        bank = orbit(TURN, torch.randn(layers * sets, 1, 4, 4, dtype=torch.float64), 4).transpose(0, 1).flatten(0, 1)
        encoder.bank.filters.copy_(bank + noise * torch.randn_like(bank))
    return Autoencoder(encoder)


def test_a_bank_of_orbits_is_kept_exactly() -> None:
    model = free_model(0.0)
    lifted = lift(model)
    x = torch.randn(2, 1, 8, 8)
    torch.testing.assert_close(lifted.model(x), model(x), atol=1e-4, rtol=1e-4)
    assert max(lifted.distances) < 1e-5
    assert all(fit.residual < 1e-5 and fit.p_value == 0.01 for fit in lifted.fits)
    assert isinstance(model.encoder.bank, FreeBank)  # the model itself is left as it was


@pytest.mark.parametrize("kind", ["permutation", "roots", "orthogonal"])
def test_snapping_removes_noise(kind: str) -> None:
    lifted = lift(free_model(0.05), snap_to=kind)
    matrices = next(iter(generators_of(lifted.model).values())).matrix().double()
    assert matrices.shape == (2, 1, 16, 16)  # a generator for each layer
    errors = (matrices - TURN).flatten(1).norm(dim=1) / 4
    raw = [float((fit.matrix - TURN).norm()) / 4 for fit in lifted.fits]
    assert all(float(error) < noisy for error, noisy in zip(errors, raw, strict=True))
    if kind == "permutation":
        assert float(errors.max()) == 0
    if kind == "roots":
        assert float(closure_error(matrices, 4).max()) < 1e-5


def test_refining_leaves_a_frozen_generator_and_lowers_the_loss() -> None:
    lifted = lift(free_model(0.05), snap_to="permutation", freeze=True).model
    generator = next(iter(generators_of(lifted).values()))
    assert isinstance(generator, Fixed)
    x = torch.randn(8, 1, 8, 8)
    optimizer = torch.optim.Adam(lifted.parameters(), lr=1e-2)
    losses = []
    for _ in range(10):
        loss = (lifted(x) - x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]
    assert torch.equal(generator.matrix()[0, 0], TURN.float())


def test_an_open_generator_can_learn_on() -> None:
    lifted = lift(Classifier(free_model(0.05).encoder, 3), freeze=False).model
    generator = next(iter(generators_of(lifted).values()))
    assert isinstance(generator, Dense)
    lifted(torch.randn(2, 1, 8, 8)).sum().backward()
    assert generator.weight.grad is not None
    assert float(generator.weight.grad.abs().sum()) > 0


def test_the_basis_is_the_nearest() -> None:
    """No other basis has an orbit nearer to the bank: the error is orthogonal to every change of it."""
    torch.manual_seed(0)
    bank = torch.randn(48, 2, 3, 3, dtype=torch.float64)
    _, matrix, basis = lift_bank(bank, 4, snap_to="orthogonal")
    basis = basis.requires_grad_()
    (orbit(matrix, basis, 4).transpose(0, 1).flatten(0, 1) - bank).square().sum().backward()
    assert basis.grad is not None
    assert float(basis.grad.abs().max()) < 1e-9


def test_a_model_without_free_filters_is_refused() -> None:
    with pytest.raises(ValueError, match="model must hold an UnfoldedEncoder with generator='free', got none"):
        lift(nn.Sequential(nn.Linear(2, 2)))
    with pytest.raises(ValueError, match="got none"):
        lift(Autoencoder(UnfoldedEncoder(1, 2, 3, num_layers=2, group=2)))
    assert isinstance(UnfoldedEncoder(1, 2, 3, num_layers=2, group=2).bank, OrbitBank)


def test_a_free_encoder_of_a_group_is_lifted_with_its_relations() -> None:
    """Filters that are orbits of D4 already: lifting finds the turns and the reflection, and changes nothing."""
    torch.manual_seed(0)
    patch = (3, 3)
    known = [operator("rotation", patch, degrees=90).float(), operator("reflection", patch).float()]
    with_group = UnfoldedEncoder(1, 12, 3, num_layers=2, group="D4", generator="fixed", start=known)
    free = UnfoldedEncoder(1, 12, 3, num_layers=2, group="D4", generator="free")
    with torch.no_grad():
        free.bank.filters.copy_(with_group.bank())  # type: ignore[union-attr]
    lifted = lift(nn.Sequential(free))
    assert max(lifted.distances) <= 1e-5
    matrices = lifted.model[0].bank.generator.matrix().unflatten(0, (2, 2))  # type: ignore[index,union-attr,operator]
    for found, true in zip(matrices[:, :, 0], known, strict=True):
        torch.testing.assert_close(found, true.expand(2, 9, 9), atol=1e-4, rtol=1e-4)
    with pytest.raises(ValueError, match="snap_to must be 'none' for D4"):
        lift(nn.Sequential(free), snap_to="permutation")
