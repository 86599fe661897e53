"""How much of a generator its filters can determine: counted from the shapes, before anything is trained."""

import math
import warnings

from torch import nn

from lgn.generators import Generator, generators_of
from lgn.nn import OrbitBank
from lgn.warning import LgnWarning

# Note [What filters leave open]
# A network sees A through the vectors that A is applied to, the elements of a set but the last, and they span no more
# dimensions than there are of them. Off that span, a dense A is arbitrary, and so is V in I + U V^T. An orthogonal A is
# free to turn what is left, unless that is one dimension, whose sign is kept. If A^p = I, the last element is mapped
# too, to the first. A doubly stochastic A is known on constants. What the other families have left to learn (six
# numbers, a kernel, two small matrices) a few pairs decide, whatever they span.


class UndeterminedWarning(LgnWarning):
    """The vectors that a generator acts on do not span the space, or no more than just, or only by their noise."""


def determined_dimension(model: nn.Module) -> tuple[int, int]:
    """The largest dimension on which filters can determine the generator that has the fewest, and its d.

    Both are 0 for a model without a generator that could be left open. See Note [What filters leave open].
    """
    counts = [(each.determined_dimension(own), math.prod(each.patch)) for each, own in _own_bases(model)]
    return min(counts, key=lambda count: count[0] - count[1], default=(0, 0))


def warn_undetermined(dimension: int, d: int, pairs: int | None = None) -> None:
    """Warn, once for a place and a dimension, where a generator on d dimensions is known on `dimension` alone.

    Or, if the number of `pairs` is given that it is fitted to, where there are not more of them than dimensions.
    """
    few = pairs is not None and pairs <= d
    if dimension == d and not few:
        return
    said = []
    if dimension < d:
        said.append(
            f"the filters determine the generator on {dimension} of {d} dimensions, on the rest it is arbitrary"
        )
    if few:
        said.append(f"any {pairs} pairs in {d} dimensions are fitted exactly, so that nothing can be found")
    if few or pairs is None:
        much = f"sets * channels * (order - 1) must {'exceed' if few else 'reach'} the pixels of a filter"
    else:
        much = "there the filters hardly rise above their noise, or not at all"
    warnings.warn(
        f"{' and '.join(said)}; share it by more sets (share='layer'), raise num_sets, the channels or the order, or "
        f"use smaller filters: {much}",
        UndeterminedWarning,
        stacklevel=3,
    )


def _own_bases(model: nn.Module) -> list[tuple[Generator, int]]:
    """All generators, and to how many bases each of their matrices is applied."""
    banks = [module for module in model.modules() if isinstance(module, OrbitBank)]
    return [
        (
            generator,
            len(generator.group.generators)
            * sum(bank.acted_on(generator) for bank in banks)
            // generator.start_distance.numel(),
        )
        for generator in generators_of(model).values()
    ]
