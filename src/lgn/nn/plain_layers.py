"""Layers of torch with given weights: the results of merging group layers."""

from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.modules.conv import _ConvNd

Layer = TypeVar("Layer", bound=nn.Module)
Convolution = TypeVar("Convolution", bound=_ConvNd)
#: The arguments of torch's convolutions; group layers have attributes of the same names, where they apply.
ARGUMENTS = (
    *("in_channels", "out_channels", "kernel_size", "stride", "padding", "output_padding", "dilation", "groups"),
    "padding_mode",
)


@torch.no_grad()
def plain_layer(kind: type[Layer], weight: Tensor, bias: Tensor | None, training: bool, **arguments: Any) -> Layer:
    """A layer of torch with the given weight and bias; no random numbers are drawn."""
    options = {"bias": bias is not None, "device": weight.device, "dtype": weight.dtype}
    made = nn.utils.skip_init(kind, **arguments, **options)
    made.weight.copy_(weight)
    if bias is not None:
        made.bias.copy_(bias)
    return made.train(training)


def plain_convolution(kind: type[Convolution], layer: nn.Module, weight: Tensor, bias: Tensor | None) -> Convolution:
    """A convolution of torch with the stride, padding and dilation of a layer."""
    arguments = {name: getattr(layer, name) for name in ARGUMENTS if hasattr(layer, name)}
    return plain_layer(kind, weight, bias, layer.training, **arguments)
