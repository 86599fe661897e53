"""The generators of a model, their matrices in batches, and their learning rates."""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor, nn

from lgn.generators.base import Generator


def generators_of(model: nn.Module) -> dict[str, Generator]:
    """The generators of a model by module name; a generator that layers share appears once."""
    return {name: module for name, module in model.named_modules() if isinstance(module, Generator)}


def rebase(model: nn.Module) -> None:
    """Move the origin of the coordinates of every generator to its present matrices. See Note [Rebasing]."""
    for generator in generators_of(model).values():
        generator.rebase_()


def parameter_groups(model: nn.Module, learning_rate: float, generator_factor: float = 1.0) -> list[dict[str, Any]]:
    """Parameter groups for an optimiser: generators learn `generator_factor` times as fast as all other parameters.

    A factor of 0 freezes generators. Parameters with the same rate are in one group, in the order of the model.
    """
    if generator_factor < 0:
        raise ValueError(f"generator_factor must be at least 0, got {generator_factor}")
    own = [parameter for generator in generators_of(model).values() for parameter in generator.parameters()]
    for parameter in own:
        parameter.requires_grad_(generator_factor > 0)
    apart = {id(parameter) for parameter in own if generator_factor not in (0, 1)}
    others = [parameter for parameter in model.parameters() if parameter.requires_grad and id(parameter) not in apart]
    groups: list[dict[str, Any]] = [{"params": others, "lr": learning_rate}]
    if apart:
        groups.append({"params": own, "lr": learning_rate * generator_factor})
    return groups


def matrices_by_size(generators: Iterable[Generator]) -> dict[tuple[int, int], Tensor]:
    """The matrices of generators in a batch per size d and order p: {(d, p): (count, d, d)}.

    For a group with several generators, p is the order of each generator as an element.
    """
    batches: dict[tuple[int, int], list[Tensor]] = {}
    for generator in generators:
        matrix, group = generator.matrix(), generator.group
        for part, element in zip(matrix.chunk(len(group.generators)), group.generator_elements, strict=True):
            batches.setdefault((matrix.shape[-1], group.element_orders[element]), []).append(part.flatten(0, 1))
    return {key: torch.cat(batch) if len(batch) > 1 else batch[0] for key, batch in batches.items()}
