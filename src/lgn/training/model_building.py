"""Networks from configs."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from lgn.generators import Family, Generator, Start
from lgn.nn import Autoencoder, Classifier, GroupNet, PlainCNN, UnfoldedEncoder
from lgn.training.config import FREE, Config, NetworkConfig
from lgn.transforms import parse_operator

#: Settings of unfolded networks only, and settings that a net does not have either.
UNFOLDED_ONLY = ("algorithm", "step", "normalise", "norm", "decoder")
NOT_OF_A_NET = (*UNFOLDED_ONLY, "num_sets", "padding", "pool")


def build_model(config: Config, image_shape: tuple[int, ...], num_classes: int, task: str) -> nn.Module:
    """The network of a config for images of a shape (channels, height, width)."""
    network, channels = config.network, image_shape[0]
    if network.padding != "same" and network.kernel_size > (largest := min(image_shape[1:]) + 2 * network.padding):
        raise ValueError(f"kernel_size must be at most {largest} for these images, got {network.kernel_size}")
    if network.architecture == "net":
        return _net(config, channels, num_classes, task)
    if network.architecture == "cnn":
        _require_cnn(network, min(image_shape[1:]), task)
        cnn = PlainCNN(channels, padding=network.padding, **_layer_options(network))
        cnn.convolutions.requires_grad_(not config.freeze_filters)
        return Classifier(cnn, num_classes, pool=network.pool)
    encoder = UnfoldedEncoder(
        channels,
        algorithm=network.algorithm,
        step=network.step,
        normalise=network.normalise,
        padding=network.padding,
        basis_norm=network.norm,
        **_layer_options(network),
    )
    encoder.bank.requires_grad_(not config.freeze_filters)
    if task == "classify":
        return Classifier(encoder, num_classes, pool=network.pool)
    return Autoencoder(encoder, decoder=network.decoder)


def _layer_options(network: NetworkConfig) -> dict[str, Any]:
    """The arguments that unfolded networks and CNNs have in common."""
    generator: Family = network.generator
    start: Start = "orthogonal" if network.start == "group" else network.start
    if network.norm is not None and network.family is not None and "norm" in network.family.option_names:
        family: Callable[..., Generator] = network.family
        generator = partial(family, norm=network.norm)
    if network.operator:
        start = [matrix.to(torch.get_default_dtype()) for matrix in _operators(network)]
    return {
        "num_layers": network.num_layers,
        "num_sets": network.num_sets,
        "kernel_size": network.kernel_size,
        "group": network.finite_group,
        "generator": generator,
        "share": network.share,
        "start": start,
    }


def _operators(network: NetworkConfig) -> list[Tensor]:
    """The matrices of the known operators."""
    return [parse_operator(name, (network.kernel_size, network.kernel_size)) for name in network.operator]


def _net(config: Config, channels: int, num_classes: int, task: str) -> nn.Module:
    network = config.network
    _require_default(network, task, NOT_OF_A_NET)
    free = network.generator == FREE
    net = GroupNet(
        channels,
        num_classes,
        group=None if free else network.finite_group,
        parameters=network.parameters,
        action=torch.stack(_operators(network)) if network.operator else None,
        num_layers=network.num_layers,
        kernel_size=network.kernel_size,
        dropout=network.dropout,
        generator="fixed" if free else network.generator,
        share=network.share,
        start=network.start,
        gates=network.gates,
    )
    net.convolutions.requires_grad_(not config.freeze_filters)
    return net


def _require_cnn(network: NetworkConfig, image_side: int, task: str) -> None:
    _require_default(network, task, UNFOLDED_ONLY)
    if network.generator == FREE:
        raise ValueError("generator must be a family for architecture 'cnn', got 'free'")
    shrinking = 0 if network.padding == "same" else network.kernel_size - 1 - 2 * network.padding
    if network.num_layers * shrinking >= image_side:
        raise ValueError(
            f"num_layers must be at most {(image_side - 1) // shrinking} for architecture 'cnn' and these images, "
            f"since every layer removes {shrinking} pixels per side, got {network.num_layers}"
        )


def _require_default(network: NetworkConfig, task: str, names: tuple[str, ...]) -> None:
    """Refuse settings that an architecture does not have, rather than ignore them."""
    architecture = f"architecture {network.architecture!r}"
    if task != "classify":
        raise ValueError(f"task must be classify for {architecture}, got {task!r}")
    for name in names:
        given, default = getattr(network, name), NetworkConfig.__dataclass_fields__[name].default
        if given != default:
            raise ValueError(f"{name} must be {default!r} for {architecture}, which does not have it, got {given!r}")
