"""The generators of a model as subjects of an analysis: every matrix with its filters and its start."""

import math
import warnings
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from lgn.actions import Patch, vec
from lgn.analysis.subject import FreshStarts, Subject
from lgn.generators import Generator
from lgn.nn import generator_sites

#: Number of vectors that a generator is analysed with, divided by their dimension. More vectors add no information,
#: and those of a wide layer would take gigabytes.
VECTORS_PER_DIMENSION = 2


@torch.no_grad()
def subjects_of(
    model: nn.Module, patch: Patch | None = None, initial: Mapping[str, Tensor] | None = None
) -> list[Subject]:
    """Every matrix of a model with its name, the structures and starts of its family, and the filters it acts on.

    patch: select the matrices that act on patches of this size. initial: the matrices before training, as `snapshot`
    names them.
    """
    sites = generator_sites(model)
    if not sites:
        raise ValueError(f"model must have a generator, got {type(model).__name__} with none")
    sizes = sorted({site.generator.patch for site in sites})
    if patch is not None and patch not in sizes:
        raise ValueError(f"patch must be one of {sizes}, got {patch}")
    draws: dict[tuple[Any, ...], FreshStarts | None] = {}  # generators that started alike share their draws
    subjects = []
    for site in sites:
        generator = site.generator
        if patch is not None and generator.patch != patch:
            continue
        origin = (generator.start_name, str(generator.options()), site.member)
        kind = (type(generator), generator.patch, generator.group, *origin)
        if kind not in draws:
            draws[kind] = fresh_starts(generator, site.member)
        matrix = generator.matrix()[site.index].cpu().double()
        if not torch.isfinite(matrix).all():
            raise ValueError(f"matrices must be finite, got infinities or NaN in {site.name}")
        enough = math.ceil(VECTORS_PER_DIMENSION * math.prod(generator.patch) / max(site.length - 1, 1))
        spread = torch.linspace(0, len(site.acted_on) - 1, min(len(site.acted_on), enough)).long()
        subject = Subject(
            matrix=matrix,
            patch=generator.patch,
            name=site.name,
            label=site.label,
            order=site.order,
            start=None if initial is None else initial[f"{site.generator_name}.matrix"][site.index].cpu().double(),
            filters=vec(site.acted_on[spread], len(generator.patch)).mT.cpu().double(),
            length=site.length,
            fresh_starts=draws[kind],
            by_construction=frozenset(generator.structures),
        )
        subjects.append(subject)
    return subjects


def fresh_starts(generator: Generator, member: int = 0) -> FreshStarts | None:
    """A function that draws new starts of the generator's family; None if it did not start at random."""
    if generator.start_name is None:
        return None
    state = torch.Generator().manual_seed(0).get_state()

    def draw(count: int) -> Tensor:
        nonlocal state  # every call continues the random numbers of the last one
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the family warned when the generator was made
            torch.set_rng_state(state)
            matrices = generator.fresh_starts(count, member)
            state = torch.get_rng_state()
        assert matrices is not None
        return matrices

    return draw
