"""Lifting: free filters become orbits of the generators that were fitted to them."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn

from lgn.actions import orbit
from lgn.discovery.filters import lift
from lgn.generators import Dense, Fixed, Generator, generators_of
from lgn.measures import closure_error, orthogonality_error, total_error
from lgn.nn import Autoencoder, Classifier, FreeBank, UnfoldedEncoder
from lgn.transforms import operator

TURN = operator("rotation", (4, 4), degrees=90)


def free_model(noise: float, sets: int = 12, layers: int = 2) -> Autoencoder:
    """A network with free filters near orbits of the quarter turn."""
    torch.manual_seed(0)
    encoder = UnfoldedEncoder(1, sets, 4, num_layers=layers, group=4, generator="free", normalise=False, step="safe")
    assert isinstance(encoder.bank, FreeBank)
    with torch.no_grad():
        bank = orbit(TURN, torch.randn(layers * sets, 1, 4, 4, dtype=torch.float64), 4).transpose(0, 1).flatten(0, 1)
        encoder.bank.filters.copy_(bank + noise * torch.randn_like(bank))
    return Autoencoder(encoder)


def filters_of(model: nn.Module) -> Tensor:
    (encoder,) = (module for module in model.modules() if isinstance(module, UnfoldedEncoder))
    return encoder.filters().detach()


def generator_of(model: nn.Module) -> Generator:
    (generator,) = generators_of(model).values()
    return generator


def test_a_bank_of_orbits_is_kept_exactly() -> None:
    model = free_model(0.0)
    lifted, fits = lift(model)
    x = torch.randn(2, 1, 8, 8)
    torch.testing.assert_close(lifted(x), model(x), atol=1e-4, rtol=1e-4)
    assert total_error(filters_of(lifted), filters_of(model)) < 1e-5
    assert all(fit.residual < 1e-5 and fit.p_value == 0.01 for fit in fits)
    assert isinstance(generator_of(lifted), Fixed)
    assert isinstance(model.encoder.bank, FreeBank)  # the model itself is unchanged


@pytest.mark.parametrize("method", ["relations", "procrustes"])
def test_exact_methods_remove_noise(method: Any) -> None:
    model = free_model(0.05)
    matrices = generator_of(lift(model, method=method)[0]).matrix().detach().double()
    assert matrices.shape == (2, 1, 16, 16)  # a generator for each layer
    errors = (matrices - TURN).flatten(1).norm(dim=1) / 4
    noisy = [float((fit.matrix - TURN).norm()) / 4 for fit in lift(model)[1]]
    assert all(float(error) < other for error, other in zip(errors, noisy, strict=True))
    exact = closure_error(matrices, 4) if method == "relations" else orthogonality_error(matrices)
    assert float(exact.max()) < 1e-5


def test_the_basis_is_the_nearest() -> None:
    """The error is orthogonal to every change of the bases."""
    model = free_model(0.5)
    lifted, _ = lift(model)
    filters, generator = filters_of(model).double(), generator_of(lifted)
    basis = lifted.encoder.bank.basis.detach().double().requires_grad_()  # type: ignore[union-attr]
    matrices = generator.matrix().detach().double().repeat_interleave(12, 0)
    (orbit(matrices, basis, 4).transpose(0, 1).flatten(0, 1) - filters.flatten(0, 1)).square().sum().backward()
    assert basis.grad is not None
    assert float(basis.grad.abs().max()) < 1e-4


def test_a_dense_generator_can_be_trained_further() -> None:
    lifted, _ = lift(Classifier(free_model(0.05).encoder, 3), freeze=False)
    generator = generator_of(lifted)
    assert isinstance(generator, Dense)
    lifted(torch.randn(2, 1, 8, 8)).sum().backward()
    assert generator.weight.grad is not None
    assert float(generator.weight.grad.abs().sum()) > 0


def test_filters_that_are_orbits_of_d4_are_unchanged() -> None:
    torch.manual_seed(0)
    known = [operator("rotation", (3, 3), degrees=90).float(), operator("reflection", (3, 3)).float()]
    with_group = UnfoldedEncoder(1, 12, 3, num_layers=2, group="D4", generator="fixed", start=known)
    free = UnfoldedEncoder(1, 12, 3, num_layers=2, group="D4", generator="free")
    assert isinstance(free.bank, FreeBank)
    with torch.no_grad():
        free.bank.filters.copy_(with_group.bank())
    lifted, _ = lift(nn.Sequential(free))
    assert total_error(filters_of(lifted), filters_of(free)) <= 1e-5
    matrices = generator_of(lifted).matrix().unflatten(0, (2, 2))
    for found, true in zip(matrices[:, :, 0], known, strict=True):
        torch.testing.assert_close(found, true.expand(2, 9, 9), atol=1e-4, rtol=1e-4)


def test_a_model_without_free_filters_is_refused() -> None:
    for model in (nn.Sequential(nn.Linear(2, 2)), Autoencoder(UnfoldedEncoder(1, 2, 3, num_layers=2, group=2))):
        with pytest.raises(ValueError, match="model"):
            lift(model)
