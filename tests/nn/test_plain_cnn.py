"""The plain CNN of group layers: its output, its generators, its training and its analysis."""

from pathlib import Path

import pytest
import torch
from torch.nn import functional as F
from training.small import small

import lgn
from lgn.generators import generators_of
from lgn.nn import Classifier, PlainCNN
from lgn.training import Run, build_model, train


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    config = small(architecture="cnn", num_layers=3)
    return train(config, tmp_path_factory.mktemp("cnn") / "run")


def test_a_layer_is_convolution_normalisation_relu_and_pooling() -> None:
    torch.manual_seed(0)
    model = PlainCNN(1, num_layers=2, num_sets=2, group=3, kernel_size=5).double().eval()
    x = torch.randn(2, 1, 20, 20, dtype=torch.float64)
    first, second = (layer.bank() for layer in model.convolutions)
    # 20 -> 18 -> 9 -> 7: a fresh batch normalisation in evaluation mode divides by sqrt(1 + eps)
    hidden = F.max_pool2d(F.relu(F.conv2d(x, first, padding=1) / (1 + 1e-5) ** 0.5), 2)
    expected = F.relu(F.conv2d(hidden, second, padding=1) / (1 + 1e-5) ** 0.5)
    torch.testing.assert_close(model(x), expected)
    torch.testing.assert_close(model.pooled(x, 7), expected)
    torch.testing.assert_close(lgn.merge(model)(x), expected)


@pytest.mark.parametrize(("kernel_size", "padding", "side"), [(6, 1, 5), (5, "same", 4)])
def test_pooling_leaves_four_pixels_a_side_or_more(kernel_size: int, padding: int | str, side: int) -> None:
    model = PlainCNN(1, num_sets=1, group=2, kernel_size=kernel_size, padding=padding)  # type: ignore[arg-type]
    assert model(torch.randn(1, 1, 32, 32)).shape == (1, 2, side, side)


def test_a_shared_generator_is_one_for_the_whole_network() -> None:
    (shared,) = generators_of(PlainCNN(1, 2, 5, num_layers=3, group=2, share="network")).values()
    assert shared.matrix().shape == (1, 1, 25, 25)
    assert len(generators_of(PlainCNN(1, 2, 5, num_layers=3, group=2))) == 3


def test_training_lowers_the_loss_and_moves_every_generator(trained: Run) -> None:
    model = trained.model()
    assert isinstance(model, Classifier)
    assert isinstance(model.encoder, PlainCNN)
    first, last = trained.metrics
    assert last["train_loss"] < first["train_loss"]
    assert "step_conditions" not in last  # it takes no steps of ISTA
    assert last["penalty"] > 0  # the inverses are those of all layers
    before = trained.initial()
    assert all((g.matrix() != before[f"{name}.matrix"]).any() for name, g in generators_of(model).items())


def test_with_more_channels_the_data_determine_more_of_a_generator(trained: Run) -> None:
    generators = lgn.analyze(trained, draws=20).generators
    assert [generator.name for generator in generators][:3] == [
        "encoder.convolutions.0, set 1", "encoder.convolutions.0, set 2", "encoder.convolutions.1, set 1",
    ]  # fmt: skip
    assert [g.identifiability.dimension for g in generators if g.identifiability] == [3, 3, 24, 24, 24, 24]


def test_frozen_filters_stay(tmp_path: Path) -> None:
    found = train(small(architecture="cnn", freeze_filters=True, epochs=1), tmp_path / "run")
    before, model = found.initial(), found.model()
    assert all(torch.equal(g.matrix(), before[f"{name}.matrix"]) for name, g in generators_of(model).items())


@pytest.mark.parametrize("changes", [{"algorithm": "fista"}, {"norm": 1.0}, {"generator": "free"}, {"num_layers": 14}])
def test_settings_that_it_does_not_have_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=f"{next(iter(changes))} must"):
        build_model(small(architecture="cnn", **changes), (1, 28, 28), 10, "classify")


def test_it_does_not_reconstruct() -> None:
    with pytest.raises(ValueError, match="task must"):
        build_model(small(architecture="cnn"), (1, 28, 28), 10, "reconstruct")
