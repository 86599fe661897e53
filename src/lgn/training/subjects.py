"""What is analysed of a model: each of its matrices, and everything that is known of how it came about."""

import math
import warnings
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from lgn.actions import Patch, vec
from lgn.analysis.subject import FreshStarts, Subject
from lgn.generators import Generator
from lgn.nn.places import places

#: Vectors that a generator is judged by, over the dimensions that there are: more say nothing new of what it is applied
#: to, and those of a wide layer would take gigabytes.
OVER_ALL = 2


def subjects_of(
    model: nn.Module,
    patch: Patch | None = None,
    initial: Mapping[str, Tensor] | None = None,
) -> list[Subject]:
    """Each matrix with its name, its family's law and starts, and the filters that it acts on.

    patch: only those on patches of this size. initial: the matrices before training, by the name of their generator.
    """
    found = places(model)
    if not found:
        raise ValueError(f"model must have a generator, got {type(model).__name__} with none")
    sizes = sorted({place.generator.patch for place in found})
    if patch is not None and patch not in sizes:
        raise ValueError(f"patch must be one of {sizes}, got {patch}")
    draws: dict[tuple[Any, ...], FreshStarts | None] = {}  # one sample serves all generators that started alike
    subjects = []
    for place in found:
        generator = place.generator
        if patch is not None and generator.patch != patch:
            continue
        started = (generator.start_name, str(generator.options()), place.member)
        kind = (type(generator), generator.patch, generator.group, *started)
        if kind not in draws:
            draws[kind] = fresh_starts(generator, place.member)
        with torch.no_grad():
            matrix = generator.matrix()[place.index].cpu().double()
        if not torch.isfinite(matrix).all():
            raise ValueError(f"matrices must be finite, got infinities or NaN in {place.name}")
        enough = math.ceil(OVER_ALL * math.prod(generator.patch) / max(place.length - 1, 1))
        spread = torch.linspace(0, len(place.acted_on) - 1, min(len(place.acted_on), enough)).long()
        begun = None if initial is None else initial[f"{place.generator_name}.matrix"][place.index].cpu().double()
        subjects.append(
            Subject(
                matrix=matrix,
                patch=generator.patch,
                name=place.name,
                label=place.label,
                order=place.order,
                start=begun,
                filters=vec(place.acted_on[spread], len(generator.patch)).mT.cpu().double(),
                length=place.length,
                fresh_starts=draws[kind],
                by_construction=frozenset(generator.structures),
            )
        )
    return subjects


def fresh_starts(generator: Generator, member: int = 0) -> FreshStarts | None:
    """New starts of the same family, for the null that asks what a start alone would show."""
    if generator.start_name is None:
        return None
    state = torch.Generator().manual_seed(0).get_state()

    def draw(count: int) -> Tensor:
        nonlocal state  # each call goes on where the last one stopped, apart from torch's own random numbers
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what a family has to say about its start was said when it started
            torch.set_rng_state(state)
            matrices = generator.fresh_starts(count, member)
            state = torch.get_rng_state()
        assert matrices is not None
        return matrices

    return draw
