"""Layers of torch's own with given numbers: what group layers merge to."""

from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn.modules.conv import _ConvNd

Layer = TypeVar("Layer", bound=nn.Module)
Convolution = TypeVar("Convolution", bound=_ConvNd)
#: What torch's convolutions take, and ours have under the same names as far as they have it.
ARGUMENTS = (
    *("in_channels", "out_channels", "kernel_size", "stride", "padding", "output_padding", "dilation", "groups"),
    "padding_mode",
)


@torch.no_grad()
def plain_layer(kind: type[Layer], weight: Tensor, bias: Tensor | None, training: bool, **arguments: Any) -> Layer:
    """A layer of torch's own with the given numbers; making it draws no random ones."""
    options = {"bias": bias is not None, "device": weight.device, "dtype": weight.dtype}
    made = nn.utils.skip_init(kind, **arguments, **options)
    made.weight.copy_(weight)
    if bias is not None:
        made.bias.copy_(bias)
    return made.train(training)


def plain_convolution(kind: type[Convolution], layer: nn.Module, weight: Tensor, bias: Tensor | None) -> Convolution:
    """The one that moves over its input as `layer` does."""
    arguments = {name: getattr(layer, name) for name in ARGUMENTS if hasattr(layer, name)}
    return plain_layer(kind, weight, bias, layer.training, **arguments)
