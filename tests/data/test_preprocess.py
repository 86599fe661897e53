import json
from typing import Any

import numpy as np
import pytest
import torch

from lgn.data import DataError, fit_preprocessing
from lgn.data.preprocess import Recipe, channel_statistics
from lgn.files import decode, encode


def random_images(count: int = 300, channels: int = 3, size: int = 4, seed: int = 0) -> torch.Tensor:
    """Images with correlated pixels; every channel has its own scale."""
    generator = torch.Generator().manual_seed(seed)
    noise = torch.randn(count, channels, size, size, generator=generator)
    smooth = noise + noise.roll(1, 2) + noise.roll(1, 3)
    scale = torch.arange(1, channels + 1)[:, None, None] * 8.0
    return (smooth * scale + 120).clamp(0, 255).to(torch.uint8)


def test_statistics_are_those_of_numpy() -> None:
    images = random_images()
    mean, std = channel_statistics(images)
    pixels = images.numpy() / 255.0
    assert np.allclose(mean, pixels.mean((0, 2, 3)), atol=1e-13)
    assert np.allclose(std, pixels.std((0, 2, 3)), atol=1e-13)


def test_test_images_are_standardised_with_the_statistics_of_train() -> None:
    train, test = random_images(), torch.full((1, 3, 4, 4), 200, dtype=torch.uint8)
    fitted = fit_preprocessing("standardise", train)
    pixels = train.double() / 255
    expected = (200 / 255 - pixels.mean((0, 2, 3))) / pixels.std((0, 2, 3), correction=0)
    result = fitted.apply(test)
    assert result.dtype == torch.float32
    assert torch.allclose(result[0, :, 0, 0].double(), expected, atol=1e-5)


def test_a_constant_channel_becomes_zero() -> None:
    images = random_images()
    images[:, 1] = 77
    result = fit_preprocessing("standardise", images).apply(images)
    assert result[:, 1].abs().max() < 1e-6


def test_without_preprocessing_pixels_are_from_0_to_1() -> None:
    images = torch.tensor([0, 51, 255], dtype=torch.uint8).reshape(1, 1, 1, 3)
    assert fit_preprocessing("none", images).apply(images).flatten().tolist() == pytest.approx([0, 0.2, 1])


@pytest.mark.parametrize("count", [300, 3000])
def test_zca_removes_correlations_by_a_symmetric_matrix(count: int) -> None:
    """The covariance `Lambda` becomes `Lambda / (Lambda + eps)`, also for more images than a chunk has."""
    images = random_images(count, size=3)
    fitted = fit_preprocessing("zca", images, eps=0.5)
    before = fit_preprocessing("standardise", images).apply(images).flatten(1).double()
    after = fitted.apply(images).flatten(1).double()
    values, vectors = torch.linalg.eigh(before.T.cov(correction=0))
    torch.testing.assert_close(
        after.T.cov(correction=0), vectors * (values / (values + 0.5)) @ vectors.T, atol=1e-4, rtol=0
    )
    assert fitted.whitening is not None
    torch.testing.assert_close(fitted.whitening[1], fitted.whitening[1].T)


@pytest.mark.parametrize("kind", ["standardise", "zca", "none"])
def test_a_recipe_is_stored_without_the_matrix_of_zca(kind: Any) -> None:
    train = random_images()
    recipe = fit_preprocessing(kind, train, eps=0.05).recipe
    stored = encode(recipe)
    assert len(json.dumps(stored)) < 600
    assert vars(decode(Recipe, stored)) == vars(recipe) == vars(fit_preprocessing(kind, train, eps=0.05).recipe)
    other = train.clone()
    other[0, 0, 0, 0] ^= 1
    assert fit_preprocessing(kind, other, eps=0.05).recipe.checksum != recipe.checksum


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("kind", "pca"),
        ("mean", [0.5, float("nan"), 0.5]),
        ("mean", [0.5]),
        ("mean", []),
        ("std", [1.0, 0.0, 1.0]),
        ("std", "1"),
        ("eps", -1),
        ("eps", True),
        ("checksum", None),
    ],
)
def test_a_wrong_recipe_is_refused(key: str, value: Any) -> None:
    stored = encode(fit_preprocessing("standardise", random_images()).recipe)
    with pytest.raises(ValueError, match=key):
        decode(Recipe, stored | {key: value})


def test_wrong_arguments_are_refused() -> None:
    images = random_images()
    with pytest.raises(DataError, match="kind"):
        fit_preprocessing("pca", images)
    with pytest.raises(DataError, match="eps"):
        fit_preprocessing("zca", images, eps=0)
    with pytest.raises(DataError, match="images"):
        fit_preprocessing("zca", images.float())
    with pytest.raises(DataError, match="images"):
        fit_preprocessing("zca", torch.zeros(2, 3, 64, 64, dtype=torch.uint8))
    with pytest.raises(DataError, match="images"):
        fit_preprocessing("standardise", images).apply(images[:, :1])
    with pytest.raises(DataError, match="images"):
        fit_preprocessing("standardise", images).apply(images.double())
