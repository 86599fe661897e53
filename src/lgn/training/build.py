"""From a config to a network, a penalty and an optimiser."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import nn

from lgn.generators import Family, Generator, Start, generators_of
from lgn.nn import Autoencoder, Classifier, GroupNet, PlainCNN, UnfoldedEncoder
from lgn.penalties import AuxiliaryInverse, Closure, LogDeterminant, Orthogonality, Penalty, Relations, SingularValues
from lgn.training.config import FREE, Config, NetworkConfig
from lgn.transforms import parse_operator

OF_UNFOLDED = ("algorithm", "step", "normalise", "norm", "decoder")
RISING, LOWEST = 0.2, 1e-3  # of a one-cycle schedule: how long the rate rises, and the share that it begins and ends at

WAITING = 0.4  # of a training, until which gates stay as they start


def build_model(config: Config, image_shape: tuple[int, ...], num_classes: int, task: str) -> nn.Module:
    """The network of a config for images of a shape (channels, height, width)."""
    network = config.network
    if network.padding != "same" and network.kernel_size > (largest := min(image_shape[1:]) + 2 * network.padding):
        raise ValueError(f"kernel_size must be at most {largest} for these images, got {network.kernel_size}")
    generator: Family = network.generator
    start: Start = "orthogonal" if network.start == "group" else network.start  # a net alone has its group's
    if network.norm is not None and network.family is not None and "norm" in network.family.option_names:
        family: Callable[..., Generator] = network.family
        generator = partial(family, norm=network.norm)
    if network.operator:
        patch = (network.kernel_size, network.kernel_size)
        start = [parse_operator(each, patch).to(torch.get_default_dtype()) for each in network.operator]
    channels = 1 if config.grey else image_shape[0]
    if network.architecture == "net":
        return _net(config, channels, num_classes, task)
    if network.architecture == "cnn":
        _require_cnn(network, min(image_shape[1:]), task)
        cnn = PlainCNN(
            channels,
            network.num_sets,
            network.kernel_size,
            num_layers=network.num_layers,
            padding=network.padding,
            group=network.chosen_group,
            generator=generator,
            share=network.share,
            start=start,
        )
        cnn.convolutions.requires_grad_(not config.freeze_filters)
        return Classifier(cnn, num_classes, pool=network.pool)
    encoder = UnfoldedEncoder(
        channels,
        network.num_sets,
        network.kernel_size,
        num_layers=network.num_layers,
        group=network.chosen_group,
        algorithm=network.algorithm,
        step=network.step,
        normalise=network.normalise,
        padding=network.padding,
        generator=generator,
        share=network.share,
        start=start,
        basis_norm=network.norm,
    )
    model: nn.Module
    if task == "classify":
        model = Classifier(encoder, num_classes, pool=network.pool)
    else:
        model = Autoencoder(encoder, decoder=network.decoder)
    if config.freeze_filters:
        encoder.bank.requires_grad_(False)
    return model


def _net(config: Config, channels: int, num_classes: int, task: str) -> nn.Module:
    network = config.network
    _require_usual(network, task, (*OF_UNFOLDED, "num_sets", "padding", "pool"))
    free = network.generator == FREE
    patch = (network.kernel_size, network.kernel_size)
    operators = [parse_operator(each, patch) for each in network.operator]
    net = GroupNet(
        channels,
        num_classes,
        group=None if free else network.chosen_group,
        parameters=network.parameters,
        operators=torch.stack(operators) if operators else None,
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
    _require_usual(network, task, OF_UNFOLDED)
    if network.generator == FREE:
        raise ValueError("generator must be a family for architecture 'cnn', got 'free'")
    shrinking = 0 if network.padding == "same" else network.kernel_size - 1 - 2 * network.padding
    if network.num_layers * shrinking >= image_side:
        raise ValueError(
            f"num_layers must be at most {(image_side - 1) // shrinking} for architecture 'cnn' and these images, "
            f"of which every layer takes {shrinking} pixels a side, got {network.num_layers}"
        )


def _require_usual(network: NetworkConfig, task: str, names: tuple[str, ...]) -> None:
    """Refuse what a network has not, rather than leave it aside without a word."""
    words = f"for architecture {network.architecture!r}"
    if task != "classify":
        raise ValueError(f"task must be classify {words}, got {task!r}")
    for name in names:
        given, usual = getattr(network, name), NetworkConfig.__dataclass_fields__[name].default
        if given != usual:
            raise ValueError(f"{name} must be {usual!r} {words}, which has no such choice, got {given!r}")


def build_penalty(config: Config, model: nn.Module) -> Penalty | None:
    """The penalty of a config; none for a network without a generator that is trained."""
    weight = config.penalty_weight
    if config.penalty == "none" or not generator_rate(config):
        return None
    if config.penalty == "inverse":
        return AuxiliaryInverse(model, weight, start=config.penalty_start)
    kinds: dict[str, Callable[[nn.Module, float], Penalty]] = {
        "singular-values": SingularValues,
        "log-determinant": LogDeterminant,
        "orthogonality": Orthogonality,
        "closure": Closure,
        "relations": Relations,
    }
    return kinds[config.penalty](model, weight)


def learning_rate(config: Config, progress: float) -> float:
    """Halved when training is 50, 75 and 87.5 % complete (app. C), or one cycle: up for a fifth, then down to zero."""
    if config.schedule == "one-cycle":
        up = progress / RISING if progress < RISING else (1 - progress) / (1 - RISING)
        return config.learning_rate * (LOWEST + (1 - LOWEST) * (1 - math.cos(math.pi * up)) / 2)
    return config.learning_rate * 0.5 ** sum(progress >= mark for mark in (0.5, 0.75, 0.875))


def hold_gates(model: nn.Module, progress: float) -> None:
    """Let gates wait until the network has learned something. See Note [Gates] in `lgn.nn.gates`."""
    if isinstance(model, GroupNet) and model.gates is not None and progress < WAITING:
        model.gates.logits.grad = None


def decayed(groups: list[dict[str, Any]], weight_decay: float, model: nn.Module) -> list[dict[str, Any]]:
    """An optimiser's groups, of which filters and the head decay.

    Thresholds, scales and shifts do not, nor generators, which would be drawn to 0, where nothing is invertible.
    """
    if not weight_decay:
        return groups
    of_generators = {id(p) for generator in generators_of(model).values() for p in generator.parameters()}
    decaying = {id(p) for p in model.parameters() if p.ndim > 1} - of_generators
    return [
        {**some, "params": chosen, "weight_decay": weight_decay if decays else 0.0}
        for some in groups
        for decays in (True, False)
        if (chosen := [p for p in some["params"] if (id(p) in decaying) == decays])
    ]


def generator_rate(config: Config) -> float:
    """The learning rate of generators as a multiple of the network's: 0 where they are frozen."""
    family = config.network.family
    if config.freeze_filters or family is None or not family.learning_rate:
        return 0.0
    if config.generator_rate is not None:
        return config.generator_rate
    return family.learning_rate
