"""The plain CNN of group layers: what it computes, who has generators, and how it trains, is analysed and shown."""

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.nn import functional as F
from training.small import small

import lgn
from lgn.front import contents_of
from lgn.generators import generators_of
from lgn.nn import Classifier, GroupCNN
from lgn.training import Run, build_model, train


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Run:
    config = small(architecture="cnn", num_layers=3)
    return train(config, tmp_path_factory.mktemp("cnn") / "run", progress=False)


def test_it_is_convolution_normalisation_relu_and_pooling() -> None:
    torch.manual_seed(0)
    model = GroupCNN(1, num_layers=2, num_sets=2, order=3, kernel_size=5, dtype=torch.float64).eval()
    x = torch.randn(2, 1, 20, 20, dtype=torch.float64)
    first, second = model.convolutions
    assert isinstance(first, lgn.nn.GroupConv2d)
    assert isinstance(second, lgn.nn.GroupConv2d)
    # 20 -> 18 -> 9 -> 7: a fresh batch normalisation in evaluation mode divides by sqrt(1 + eps)
    hidden = F.max_pool2d(F.relu(F.conv2d(x, first.filters(), padding=1) / (1 + 1e-5) ** 0.5), 2)
    expected = F.relu(F.conv2d(hidden, second.filters(), padding=1) / (1 + 1e-5) ** 0.5)
    torch.testing.assert_close(model(x), expected)
    torch.testing.assert_close(lgn.merge(model)(x), expected)


@pytest.mark.parametrize(("kernel_size", "padding", "side"), [(6, 1, 5), (5, "same", 4)])
def test_pooling_leaves_four_pixels_a_side_or_more(kernel_size: int, padding: int | str, side: int) -> None:
    model = GroupCNN(1, num_sets=1, order=2, kernel_size=kernel_size, padding=padding)  # type: ignore[arg-type]
    assert model(torch.randn(1, 1, 32, 32)).shape == (1, 2, side, side)


def test_one_generator_serves_a_whole_network_and_free_filters_have_none() -> None:
    (shared,) = generators_of(GroupCNN(1, 3, 2, 2, 5, share="network")).values()
    assert shared.matrix().shape == (1, 1, 25, 25)
    assert len(generators_of(GroupCNN(1, 3, 2, 2, 5))) == 3
    free = GroupCNN(1, 3, 2, 2, 5, generator="free")
    assert all(isinstance(each, nn.Conv2d) and each.weight.shape[0] == 4 for each in free.convolutions)


def test_training_lowers_the_loss_and_speaks_of_no_steps(trained: Run) -> None:
    model = trained.model()
    assert isinstance(model, Classifier)
    assert isinstance(model.encoder, GroupCNN)
    first, last = trained.metrics
    assert last["train_loss"] < first["train_loss"]
    assert "step_conditions" not in last
    assert last["penalty"] > 0  # the inverses are those of all layers
    before = trained.initial()
    assert all((g.matrix() != before[f"{name}.matrix"]).any() for name, g in generators_of(model).items())


def test_its_generators_are_named_by_module_and_shown_with_their_bases(trained: Run) -> None:
    lgn.analyze(trained, draws=20).to_json(trained.path / "analysis.json")
    contents = contents_of(trained.path)
    generators = contents.analysis.generators
    assert [each.name for each in generators][:3] == [
        "encoder.convolutions.0, set 1", "encoder.convolutions.0, set 2", "encoder.convolutions.1, set 1",
    ]  # fmt: skip
    # One channel, then eight: with more vectors the data determine more of a generator.
    assert [g.identifiability.dimension for g in generators if g.identifiability] == [3, 3, 24, 24, 24, 24]
    layers = trained.model().encoder.convolutions  # type: ignore[union-attr]
    expected = [filters for layer in layers for filters in layer.bank.basis.detach()]  # type: ignore[union-attr]
    assert contents.bases is not None
    assert all(torch.equal(one, other) for one, other in zip(contents.bases, expected, strict=True))
    assert contents.base_names is not None
    assert contents.base_names[2] == tuple(f"channel {k}" for k in range(1, 9))
    assert contents.network is None  # the figure draws unfolded networks


def test_frozen_filters_stay(tmp_path: Path) -> None:
    found = train(small(architecture="cnn", freeze_filters=True, epochs=1), tmp_path / "run", progress=False)
    before, model = found.initial(), found.model()
    assert all(torch.equal(g.matrix(), before[f"{name}.matrix"]) for name, g in generators_of(model).items())


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"step": 0.1}, "step must be 0.01 for architecture 'cnn', which has no such choice, got 0.1"),
        ({"algorithm": "fista"}, "algorithm must be 'ista' for architecture 'cnn'"),
        ({"norm": 1.0}, "norm must be None for architecture 'cnn'"),
        ({"num_layers": 14}, "num_layers must be at most 13 for architecture 'cnn' and these images"),
    ],
)
def test_what_it_has_not_is_refused(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        build_model(small(architecture="cnn", **changes), (1, 28, 28), 10, "classify")


def test_it_does_not_reconstruct() -> None:
    with pytest.raises(ValueError, match="task must be classify for architecture 'cnn', got 'reconstruct'"):
        build_model(small(architecture="cnn"), (1, 28, 28), 0, "reconstruct")
