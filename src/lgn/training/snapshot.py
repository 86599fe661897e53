"""What is kept of a network before its first step."""

import torch
from torch import Tensor, nn

from lgn.generators import generators_of
from lgn.nn import OrbitBank


def snapshot(model: nn.Module) -> dict[str, Tensor]:
    """Generators as matrices, and bases: what analysis compares before and after."""
    with torch.no_grad():
        tensors = {
            f"{name}.matrix": g.matrix().detach().clone().contiguous() for name, g in generators_of(model).items()
        }
        banks = {name: module for name, module in model.named_modules() if isinstance(module, OrbitBank)}
        return tensors | {f"{name}.basis": bank.basis.detach().clone().contiguous() for name, bank in banks.items()}
