"""No public function changes global state or its arguments, prints, or shows progress."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from answer.some_answer import some_answer
from torch import Tensor, nn

import lgn
from lgn import groups
from lgn.transforms import operator


def convolutions() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.BatchNorm2d(8), nn.Conv2d(8, 4, 3))


def group_network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(lgn.nn.GroupConv2d(1, 2, 3, group=4), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 4))


def images() -> Tensor:
    return torch.rand(60, 1, 8, 8, generator=torch.Generator().manual_seed(0))


def images_of_digits() -> Tensor:
    return lgn.data.load("digits").test.samples[:5]


def bank() -> Tensor:
    turn = operator("rotation", (3, 3), degrees=90).float()
    bases = torch.randn(12, 1, 3, 3, generator=torch.Generator().manual_seed(0))
    return lgn.orbit(turn, bases, 4).transpose(0, 1).flatten(0, 1)


#: Calls of public functions, as a function of their argument and a directory.
CALLS: dict[str, tuple[Callable[[], Any], Callable[[Any, Path], Any]]] = {
    "discover images": (images, lambda x, _: lgn.discover(x, effort=0.1)),
    "discover labels": (images, lambda x, _: lgn.discover(x, torch.arange(60) % 2, effort=0.1, seed=3)),
    "discover table": (
        lambda: torch.rand(200, 4, generator=torch.Generator().manual_seed(0)),
        lambda x, _: lgn.discover(x),
    ),
    "inspect": (convolutions, lambda model, _: lgn.inspect(model)),
    "analyze": (lambda: torch.randn(2, 9, 9), lambda x, _: lgn.analyze(x, patch=(3, 3), draws=50)),
    "fit_generator": (bank, lambda x, _: lgn.fit_generator(x, group=4)),
    "fit_from_pairs": (lambda: torch.rand(100, 3, 3), lambda x, _: lgn.fit_from_pairs(x, x.flip(-1))),
    "discover_from_views": (lambda: torch.rand(20, 4, 1, 8, 8), lambda x, _: lgn.discover_from_views(x, patch=3)),
    "merge": (group_network, lambda model, _: lgn.merge(model)),
    "summary": (group_network, lambda model, _: lgn.summary(model)),
    "equivariance_table": (group_network, lambda model, _: lgn.equivariance_table(model, images())),
    "closure_error": (lambda: torch.eye(3), lambda x, _: lgn.closure_error(x, 4)),
    "orbit": (lambda: torch.eye(9), lambda x, _: lgn.orbit(x, torch.ones(3, 3), 4)),
    "as_group": (lambda: "D4", lambda name, _: groups.as_group(name).irreps()),
    "layers": (some_answer, lambda found, _: (found.layers(3), found.augmentation(), str(found))),
    "build": (
        lambda: {"epochs": 1, "parameters": 2000, "train_images": 100},
        lambda options, out: lgn.build("digits", out=out / "run", group="C2", **options),
    ),
    "predict": (images_of_digits, lambda x, _: lgn.predict("mnist-classification", x)),
    "export": (
        lambda: "mnist-classification",
        lambda name, out: lgn.export(name, "safetensors", out=out / "a.safetensors"),
    ),
    "load_pretrained": (lambda: lgn.pretrained_names()[0], lambda name, _: lgn.load_pretrained(name)),
    "train": (
        lambda: lgn.training.preset("quick", epochs=1, train_images=100, num_layers=1, num_sets=2, device="cpu"),
        lambda config, out: lgn.training.train(config, out / "run"),
    ),
}


def state() -> dict[str, Any]:
    """Everything global that a call could change."""
    return {
        "torch": torch.get_rng_state().tolist(),
        "numpy": np.random.get_state()[1].tolist(),  # noqa: NPY002  (the legacy state is what must not change)
        "dtype": torch.get_default_dtype(),
        "gradients": torch.is_grad_enabled(),
        "threads": torch.get_num_threads(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
    }


def content(argument: Any) -> Any:
    """The values of an argument, for comparison."""
    if isinstance(argument, nn.Module):
        modes = [module.training for module in argument.modules()]
        values = {name: tensor.tolist() for name, tensor in argument.state_dict().items()}
        gradients = [parameter.requires_grad for parameter in argument.parameters()]
        return modes, values, gradients, str(argument)
    if isinstance(argument, lgn.Answer):
        return str(argument)
    return argument.tolist() if isinstance(argument, Tensor) else copy.deepcopy(argument)


@pytest.mark.filterwarnings("ignore::lgn.LgnWarning")
@pytest.mark.parametrize("name", CALLS)
def test_a_call_leaves_everything_as_it_was(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    make, call = CALLS[name]
    argument = make()
    before, given = state(), content(argument)
    call(argument, tmp_path)
    assert state() == before
    assert content(argument) == given
    assert capfd.readouterr() == ("", "")


@pytest.mark.filterwarnings("ignore::lgn.LgnWarning")
@pytest.mark.parametrize("name", ["discover images", "inspect", "fit_generator", "discover table"])
def test_a_call_does_not_depend_on_the_global_random_state(name: str, tmp_path: Path) -> None:
    make, call = CALLS[name]
    results = []
    for seed in (1, 2):
        argument = make()
        torch.manual_seed(seed)
        results.append(str(call(argument, tmp_path)))
    assert results[0] == results[1]
