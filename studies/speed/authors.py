"""A training step of the authors' own model class, from a directory of their code that the user has fetched.

Their code is no part of this library. It is run, so the directory must be one that you trust.
"""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from studies.speed.steps import BATCH, made_step

CLASS = "LearnGroupAction_inv"  # FISTA, a generator a channel, auxiliary inverses


def authors_step(directory: Path, shape: tuple[int, int, int]) -> Callable[[], Tensor]:
    """Forward, penalty, backward, clip, Adam and projection with the model of `directory / "model.py"`."""
    channels, height, width = shape
    settings = SimpleNamespace(
        **{"group_size": 4, "n_groups": 5, "kernel_size": 6, "stride": 1, "n_layers": 4, "eta": 0.01, "pool_size": 4},
        **{"n_classes": 10, "n_channels": channels, "input_height": height, "input_width": width},
    )
    model = _class_of(directory)(settings, "cpu")

    def objective(images: Tensor, labels: Tensor) -> Tensor:
        eye = torch.eye(settings.kernel_size**2)
        pairs = zip(model.A, model.A_inv, strict=True)
        penalty = torch.stack([torch.linalg.matrix_norm(a @ inverse - eye).sum() for a, inverse in pairs]).sum()
        return F.cross_entropy(model(images)[0], labels) + 1e-4 * penalty

    @torch.no_grad()
    def project() -> None:
        model.normalize()

    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    return made_step(objective, model.parameters(), optimizer, shape, BATCH, project)


def _class_of(directory: Path) -> Any:
    path = directory / "model.py"
    if not path.is_file():
        raise ValueError(f"authors must be a directory with the authors' model.py, got {directory}")
    specification = importlib.util.spec_from_file_location("authors_model", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    # It imports torchvision for what this class does not use; it is not installed beside a CPU torch.
    missing = ("torchvision", "torchvision.transforms", "torchvision.transforms.functional")
    added = {name: ModuleType(name) for name in missing if importlib.util.find_spec("torchvision") is None}
    for name, empty in added.items():
        sys.modules[name] = empty
        if "." in name:
            setattr(added[name.rpartition(".")[0]], name.rpartition(".")[2], empty)
    try:
        specification.loader.exec_module(module)
    finally:
        for name in added:
            del sys.modules[name]
    if not hasattr(module, CLASS):
        raise ValueError(f"authors must have a model.py with {CLASS}, got {path}")
    return getattr(module, CLASS)
