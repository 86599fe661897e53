"""From a config to a network, a penalty and an optimiser."""

from collections.abc import Callable
from functools import partial

import torch
from torch import nn

from lgn.generators import Family, Generator, Start
from lgn.nn import Autoencoder, Classifier, GroupCNN, UnfoldedEncoder
from lgn.operators.parse import parse_operator
from lgn.penalties import AuxiliaryInverse, Closure, LogDeterminant, Orthogonality, Penalty, Relations, SingularValues
from lgn.training.config import Config, NetworkConfig


def build_model(config: Config, image_shape: tuple[int, ...], num_classes: int, task: str) -> nn.Module:
    """The network of a config for images of a shape (channels, height, width)."""
    network = config.network
    if network.padding != "same" and network.kernel_size > (largest := min(image_shape[1:]) + 2 * network.padding):
        raise ValueError(f"kernel_size must be at most {largest} for these images, got {network.kernel_size}")
    generator: Family = network.generator
    start: Start = network.start
    if network.norm is not None and network.family is not None and "norm" in network.family.option_names:
        family: Callable[..., Generator] = network.family
        generator = partial(family, norm=network.norm)
    if network.operator:
        patch = (network.kernel_size, network.kernel_size)
        start = [parse_operator(each, patch).to(torch.get_default_dtype()) for each in network.operator]
    channels = 1 if config.grey else image_shape[0]
    if network.architecture == "cnn":
        _require_cnn(network, min(image_shape[1:]), task)
        cnn = GroupCNN(
            channels,
            network.num_layers,
            network.num_sets,
            None,
            network.kernel_size,
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
        network.num_layers,
        network.num_sets,
        None,
        network.kernel_size,
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


def _require_cnn(network: NetworkConfig, image_side: int, task: str) -> None:
    """Refuse what only unfolded networks have, rather than leave it aside without a word."""
    if task != "classify":
        raise ValueError(f"task must be classify for architecture 'cnn', got {task!r}")
    for name in ("algorithm", "step", "normalise", "norm", "decoder"):
        given, usual = getattr(network, name), NetworkConfig.__dataclass_fields__[name].default
        if given != usual:
            raise ValueError(
                f"{name} must be {usual!r} for architecture 'cnn', which has no such choice, got {given!r}"
            )
    shrinking = 0 if network.padding == "same" else network.kernel_size - 1 - 2 * network.padding
    if network.num_layers * shrinking >= image_side:
        raise ValueError(
            f"num_layers must be at most {(image_side - 1) // shrinking} for architecture 'cnn' and these images, "
            f"of which every layer takes {shrinking} pixels a side, got {network.num_layers}"
        )


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
    """Halved when training is 50, 75 and 87.5 % complete (app. C)."""
    return config.learning_rate * 0.5 ** sum(progress >= mark for mark in (0.5, 0.75, 0.875))


def generator_rate(config: Config) -> float:
    """The learning rate of generators as a multiple of the network's: 0 where they are frozen."""
    family = config.network.family
    if config.freeze_filters or family is None or not family.learning_rate:
        return 0.0
    if config.generator_rate is not None:
        return config.generator_rate
    return family.learning_rate
