"""Trainings that take a second, for tests."""

from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from lgn.training import Config, Run, preset

# The same training as a config and as arguments of a command.
SMALL: dict[str, Any] = {"train_images": 200, "epochs": 2, "num_layers": 2, "num_sets": 2, "kernel_size": 5}
SMALL_WORDS = [word for name, value in SMALL.items() for word in ("--set", f"{name}={value}") if name != "epochs"]
SMALL_WORDS += ["--epochs", str(SMALL["epochs"])]


def small(name: str = "quick", task: Any = "classify", **changes: Any) -> Config:
    """A preset with few bundled digits and a small network."""
    return preset(name, task, **{**SMALL, "device": "cpu", **changes})


def weights(run: Run, name: str = "model.safetensors") -> dict[str, Tensor]:
    return load_file(run.path / name)


def equal(one: dict[str, Tensor], other: dict[str, Tensor]) -> bool:
    """Whether tensors are equal bit for bit."""
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)
