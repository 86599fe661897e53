"""`Classifier` and `Autoencoder`."""

import pytest
import torch
from torch import nn

from lgn.nn import Autoencoder, Classifier, UnfoldedEncoder
from lgn.nn.kernels.adjoint import synthesise


@pytest.fixture
def encoder() -> UnfoldedEncoder:
    torch.manual_seed(0)
    return UnfoldedEncoder(3, num_layers=2, num_sets=2, group=3, kernel_size=4, dtype=torch.float64).eval()


def test_a_classifier_is_a_linear_map_of_averaged_codes(encoder: UnfoldedEncoder) -> None:
    model = Classifier(encoder, 7).eval()
    x = torch.randn(5, 3, 13, 13, dtype=torch.float64)
    codes = encoder(x)
    assert codes.shape == (5, 6, 12, 12)
    cells = codes.view(5, 6, 4, 3, 4, 3).mean((3, 5))  # 4x4 cells of 3x3 codes
    torch.testing.assert_close(model(x), cells.flatten(1) @ model.head.weight.T + model.head.bias)
    assert Classifier(encoder, 7, pool=2).head.in_features == 6 * 4


def test_a_tied_decoder_uses_the_filters_of_the_last_layer(encoder: UnfoldedEncoder) -> None:
    model = Autoencoder(encoder)
    x = torch.randn(2, 3, 9, 10, dtype=torch.float64)
    codes = encoder(x)
    torch.testing.assert_close(model(x), synthesise(codes, encoder.filters()[-1], encoder.margins))
    assert model(x).shape == x.shape
    assert {name.split(".")[0] for name, _ in model.named_parameters()} == {"encoder"}
    torch.testing.assert_close(model.decode(codes), encoder.decode(codes))


def test_a_free_decoder_has_its_own_dictionary(encoder: UnfoldedEncoder) -> None:
    model = Autoencoder(encoder, decoder="free")
    assert model.dictionary is not None
    assert model.dictionary().shape == (6, 3, 4, 4)
    torch.testing.assert_close(
        torch.linalg.matrix_norm(model.dictionary()), torch.ones(6, 3, dtype=torch.float64), rtol=1e-12, atol=0
    )
    x = torch.randn(2, 3, 9, 10, dtype=torch.float64)
    torch.testing.assert_close(model(x), synthesise(encoder(x), model.dictionary(), encoder.margins))
    before = encoder.filters().detach().clone()
    with torch.no_grad():
        model.dictionary.filters.zero_()
    assert torch.equal(model(x), torch.zeros_like(x))
    assert torch.equal(encoder.filters(), before)


def test_networks_have_the_dtype_of_their_encoder(encoder: UnfoldedEncoder) -> None:
    models: list[nn.Module] = [Classifier(encoder, 3), Autoencoder(encoder, decoder="free")]
    for model in models:
        assert {parameter.dtype for parameter in model.parameters()} == {torch.float64}


def test_wrong_arguments_are_named(encoder: UnfoldedEncoder) -> None:
    with pytest.raises(ValueError, match="num_classes must be at least 2, got 1"):
        Classifier(encoder, 1)
    with pytest.raises(ValueError, match="decoder must be one of tied, free, got 'none'"):
        Autoencoder(encoder, decoder="none")  # type: ignore[arg-type]
