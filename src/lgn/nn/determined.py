"""The number of dimensions on which filters determine a generator, counted from shapes before any training."""

import math
import warnings

from torch import nn

from lgn.generators import generators_of
from lgn.nn.bank import OrbitBank
from lgn.warning import LgnWarning

# Note [What filters leave open]
# A network depends on A only through the vectors to which A is applied: the elements of a set except the last. These
# vectors span at most as many dimensions as their number. On the orthogonal complement of the span, a dense A is
# arbitrary, and so is V in I + U V^T. An orthogonal A is free to rotate the complement, unless the complement has one
# dimension, in which only a sign is open, and the sign is kept. If A^p = I, the last element is also mapped, to the
# first. A doubly stochastic A is known on constant vectors. The other families have few parameters (six numbers, a
# kernel, two small matrices), which a few pairs of filters determine.


class UndeterminedWarning(LgnWarning):
    """The filters determine a generator on a part of the space only, or any filters would be fitted as well."""


def determined_dimension(model: nn.Module) -> tuple[int, int]:
    """The pair (dimension, d) of the least determined generator: filters determine it on `dimension` of d dimensions.

    (0, 0) for a model without generators. See Note [What filters leave open].
    """
    banks = [module for module in model.modules() if isinstance(module, OrbitBank)]
    counts = []
    for generator in generators_of(model).values():
        vectors = len(generator.group.generators) * sum(bank.acted_on(generator) for bank in banks)
        bases = vectors // generator.start_distance.numel()  # of every matrix
        counts.append((generator.determined_dimension(bases), math.prod(generator.patch)))
    return min(counts, key=lambda count: count[0] - count[1], default=(0, 0))


def warn_undetermined(dimension: int, d: int, pairs: int | None = None) -> None:
    """Warn if a generator on d dimensions is determined on `dimension` dimensions only.

    If the number of `pairs` to which the generator is fitted is given, also warn if it does not exceed d.
    """
    problems = []
    if dimension < d:
        problems.append(f"the filters determine the generator on {dimension} of {d} dimensions; the rest is arbitrary")
    if pairs is not None and pairs <= d:
        problems.append(f"{pairs} pairs of filters in {d} dimensions are fitted exactly, whatever they are")
    if problems:
        warnings.warn(
            f"{'; '.join(problems)}. Use more sets, channels or elements, smaller filters, less noise, or share the "
            "generator across more sets (share='layer')",
            UndeterminedWarning,
            stacklevel=3,
        )
