"""A break of known size is planted in the user's own samples: it measures what an observer can see."""

import torch
from torch import Generator, Tensor

from lgn.data import generator_for
from lgn.transforms import Family

# Note [Planted break]
# "Kept" means that the best of all observers would tell x from T x with an accuracy below 1/2 + margin. An observer
# that does not tell them apart is no proof: it may have seen too little. So the symmetry is broken by the margin, and a
# fresh observer looks for the break. Every sample is replaced by a random element of its orbit, which makes the
# symmetry exact; but 2 margin of the samples are replaced by the version for which a rule gives the largest number. No
# two versions of a sample can both be the largest, so the distributions of h x and h T x differ by 2 margin in total
# variation, and the best observer has the accuracy 1/2 + margin. The accuracy of the fresh observer, which learns and
# is tested on as many samples, is how a break of the margin reads here. A transformation is kept if it reads less than
# that, beyond the errors of both.
#
# The rule is likeness to a pattern: a matter of the content of a sample, with no trace that an edit would leave. Every
# observer gets a new pattern: a random mixture of the parts of the samples that the group changes, in which those parts
# weigh most that differ most between the versions of a sample. All samples and all groups have such patterns. (The
# centre of brightness says nothing about digits that are centred by it.)
#
# This proves that breaks which can be seen as well as a plain pattern spread over the whole sample would have been
# found. A break of the margin that is harder to learn, such as a fine texture or a relation of two parts, may be
# missed. Among breaks of one size this is not the easiest: every sample is weak evidence for one version (.55 to .45);
# a break that rests on a few clear samples weighs more (Note [Confidence]).

#: The largest number of samples that are mixed into a pattern.
MIXED = 2000


def planted_break(family: Family, elements: tuple[int, ...], samples: Tensor, share: float, seed: int) -> Tensor:
    """Samples with the exact symmetry of a subgroup, except for a share of them. See Note [Planted break].

    Shapes: (N, C, ...) -> the same
    """
    random = generator_for("symmetry break", seed)
    wanted = pattern(family, elements, samples[:MIXED], random).flatten()
    heights = torch.stack([family.act(samples, element).flatten(1) @ wanted for element in elements], 1)
    chosen = torch.randint(len(elements), (len(samples),), generator=random)
    ruled = torch.rand(len(samples), generator=random) < share
    return put(family, samples, torch.tensor(elements)[torch.where(ruled, heights.argmax(1).cpu(), chosen)])


def pattern(family: Family, elements: tuple[int, ...], samples: Tensor, random: Generator) -> Tensor:
    """A random mixture of what a subgroup changes in samples.

    With `y = x - mean over g of g x` and S the covariance of y, it is Gaussian with covariance S^3: a mixture of all y
    with random weights, then one in which the weight of y is its likeness to the first.  (N, C, ...) -> (C, ...)
    """
    changed = samples - torch.stack([family.act(samples, element) for element in elements]).mean(0)
    flat = changed.flatten(1)
    first = torch.randn(len(flat), generator=random).to(flat) @ flat
    second = (flat @ first) @ flat
    return (second / second.norm().clamp(min=1e-12)).view(samples.shape[1:])


def symmetric_copy(family: Family, samples: Tensor, seed: int) -> Tensor:
    """Samples with the exact symmetry of the whole family: every sample is a random element of its orbit."""
    random = generator_for("symmetry twin", seed)
    return put(family, samples, torch.randint(family.versions, (len(samples),), generator=random))


def put(family: Family, samples: Tensor, elements: Tensor) -> Tensor:
    """Every sample under its own element.  (N, C, ...), (N,) -> (N, C, ...)"""
    moved = samples.clone()
    for element in elements.unique().tolist():
        chosen = (elements == element).nonzero().flatten().to(samples.device)
        moved[chosen] = family.act(samples[chosen], element)
    return moved
