"""Layers of torch with given weights: the results of merging group layers."""

from typing import TypeVar

import torch
from torch import Tensor, nn
from torch.nn.modules.conv import _ConvTransposeNd

Layer = TypeVar("Layer", bound=nn.Module)
#: The arguments of torch's layers; group layers have attributes of the same names, where they apply.
ARGUMENTS = (
    *("in_channels", "out_channels", "kernel_size", "stride", "padding", "output_padding", "dilation", "groups"),
    *("padding_mode", "in_features", "out_features"),
)


@torch.no_grad()
def plain_layer(kind: type[Layer], layer: nn.Module, weight: Tensor, bias: Tensor | None) -> Layer:
    """A layer of torch with given weight and bias, and the sizes of a group layer; no random numbers are drawn."""
    arguments = {name: getattr(layer, name) for name in ARGUMENTS if hasattr(layer, name)}
    options = {"bias": bias is not None, "device": weight.device, "dtype": weight.dtype}
    made = nn.utils.skip_init(kind, **arguments, **options)
    transposed = isinstance(made, _ConvTransposeNd)  # such a layer has the inputs first
    made.weight.copy_(weight.transpose(0, 1) if transposed else weight)
    if bias is not None:
        made.bias.copy_(bias)
    return made.train(layer.training)
