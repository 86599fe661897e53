"""`merge`: the plain network that a group network is equal to."""

import copy

from torch import nn

from lgn.nn.bank import OrbitBank
from lgn.nn.layers import GroupLayer
from lgn.nn.orbit_conv import OrbitConv2d


def merge(model: nn.Module) -> nn.Module:
    """A new network with plain layers and equal outputs, ready for `torch.export` and ONNX; the model is untouched.

    The copy is told beforehand what stands for each group layer, so a parametrised generator is never copied: in torch
    2.13, removing the parametrisation of a copy breaks the original.
    """
    group_modules = [m for m in model.modules() if isinstance(m, GroupLayer | OrbitBank | OrbitConv2d)]
    return copy.deepcopy(model, {id(module): module.merged() for module in group_modules})
