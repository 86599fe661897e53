"""`merge`: a plain network with the outputs of a group network."""

import copy

from torch import nn

from lgn.nn.bank import OrbitBank
from lgn.nn.layers import GroupLayer
from lgn.nn.orbit_conv import OrbitConv2d


def merge(model: nn.Module) -> nn.Module:
    """A new network with plain layers and equal outputs, ready for `torch.export` and ONNX; the model is unchanged.

    The copy is made with plain layers in place of the group layers, so no parametrised generator is copied: in torch
    2.13, removing the parametrisation of a copy breaks the original.
    """
    group_modules = [m for m in model.modules() if isinstance(m, GroupLayer | OrbitBank | OrbitConv2d)]
    return copy.deepcopy(model, {id(module): module.merged() for module in group_modules})
