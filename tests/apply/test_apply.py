"""Augmentation, symmetrised models, networks and layers of a group that was found."""

import pytest
import torch
from answer.some_answer import some_answer
from torch import nn

import lgn
from lgn.answer import Answer


@torch.no_grad()
def net_error(answer: Answer, model: nn.Module) -> float:
    """The largest change of the outputs, with classes moved along, relative to the outputs."""
    x = torch.rand(5, 1, 8, 8)
    action, outputs = answer.action, model(x)
    errors = []
    for element in range(action.group.order):
        moved = model(action.elements[element](x))
        moved = moved if action.classes is None else moved[:, action.classes[element]]
        errors.append(float((moved - outputs).norm() / outputs.norm()))
    return max(errors)


@pytest.mark.parametrize("permutation", [(), (1, 2, 3, 0)])
def test_networks_respect_images_and_labels(permutation: tuple[int, ...]) -> None:
    answer = some_answer(permutation)
    model = answer.network(parameters=2_000, kernel_size=3, num_layers=2).eval()
    assert net_error(answer, model) < 1e-5


def test_a_network_with_permuted_classes_can_tell_them_apart() -> None:
    answer = some_answer((1, 2, 3, 0))
    outputs = answer.network(parameters=2_000, kernel_size=3, num_layers=2).eval()(torch.rand(1, 1, 8, 8))
    assert float(outputs.detach().std()) > 1e-4


def test_an_invariant_network_cannot_tell_permuted_classes_apart() -> None:
    x = torch.rand(4, 1, 8, 8)
    model = some_answer().network(parameters=2_000, kernel_size=3, num_layers=2).eval()
    torch.testing.assert_close(model(x), model(x.rot90(1, (2, 3))))


@pytest.mark.parametrize("permutation", [(), (1, 2, 3, 0)])
def test_symmetrised_models_are_equivariant(permutation: tuple[int, ...]) -> None:
    answer = some_answer(permutation)
    model = answer.symmetrised(nn.Sequential(nn.Flatten(), nn.Linear(64, 4)))
    assert net_error(answer, model) < 1e-5
    assert net_error(answer, model.model) > 0.1


def test_augmentation_moves_labels_with_samples() -> None:
    answer = some_answer((1, 2, 3, 0))
    corner = torch.zeros(64, 1, 8, 8)
    corner[:, :, 0, 0] = 1
    moved, labels = answer.augmentation(seed=1)(corner, torch.zeros(64, dtype=torch.long))
    for turns in range(4):
        chosen = labels == turns
        assert chosen.any()
        assert torch.equal(moved[chosen], corner[chosen].rot90(turns, (2, 3)))


def test_layers_are_equivariant() -> None:
    options = some_answer().layers(3)
    layer = lgn.nn.GroupConv2d(1, 2, kernel_size=3, **options)
    x = torch.rand(2, 1, 8, 8)
    one, other = layer(x).unflatten(1, (2, 4)), layer(x.rot90(1, (2, 3))).unflatten(1, (2, 4))
    torch.testing.assert_close(one.rot90(1, (3, 4)).roll(1, 2), other)
