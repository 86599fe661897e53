"""The generators of a model, and their matrices in batches."""

from collections.abc import Iterable

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
