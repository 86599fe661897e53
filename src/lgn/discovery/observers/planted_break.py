"""A break of known size, planted in the user's samples: it measures the power of an observer."""

import torch
from torch import Generator, Tensor

from lgn.data import generator_for
from lgn.transforms import Family

# Note [Planted break]
# "Kept" means that the best of all observers would tell x from T x with an accuracy below 1/2 + margin. An observer
# that does not tell them apart is no proof, because it may have learned too little. So the symmetry is broken by the
# margin, and a fresh observer looks for the break. Every sample is replaced by a random element of its orbit, which
# makes the symmetry exact; but a share of 2 margin of the samples is replaced by the version with the largest score.
# Only one version of a sample has the largest score, so the distributions of h x and h T x differ by 2 margin in total
# variation, and the best observer has the accuracy 1/2 + margin. The fresh observer learns from as many samples and is
# tested on as many, so its accuracy is the one to expect for a break of the margin. A transformation is kept if its
# accuracy is smaller, beyond the errors of both.
#
# The score is the scalar product with a pattern, so the break changes the content of samples and leaves no trace of an
# edit. Every observer gets a new pattern: a random mixture of the parts of the samples that the group changes. Parts
# that differ much between the versions of a sample have large weights. All samples and all groups have such patterns.
#
# This proves that the observer would have found breaks that are as easy to see as a pattern over the whole sample. It
# may miss a break of the margin that is harder to learn, such as a fine texture or a relation of two parts. The planted
# break is not the easiest of its size: every sample is weak evidence for one version (0.55 to 0.45), and a break in a
# few clear samples has a larger confidence (Note [Confidence]).

#: The number of samples from which a pattern is mixed.
MIXED = 2000


def planted_break(family: Family, elements: tuple[int, ...], samples: Tensor, share: float, seed: int) -> Tensor:
    """Samples with the exact symmetry of a subgroup, except for a share of them. See Note [Planted break].

    Shapes: (N, C, ...) -> the same
    """
    random = generator_for("symmetry break", seed)
    direction = pattern(family, elements, samples[:MIXED], random).flatten()
    scores = torch.stack([family.act(samples, element).flatten(1) @ direction for element in elements], 1)
    uniform = torch.randint(len(elements), (len(samples),), generator=random)
    is_broken = torch.rand(len(samples), generator=random) < share
    return act_on_each(family, samples, torch.tensor(elements)[torch.where(is_broken, scores.argmax(1).cpu(), uniform)])


def pattern(family: Family, elements: tuple[int, ...], samples: Tensor, random: Generator) -> Tensor:
    """A random mixture of the parts of samples that a subgroup changes.

    The part that changes is `y = x - mean over g of g x`. A first mixture of all y has random weights; in the second
    one, the weight of y is its scalar product with the first. If S is the covariance of y, the pattern is Gaussian with
    covariance S^3.

    Shapes: (N, C, ...) -> (C, ...)
    """
    changed = samples - torch.stack([family.act(samples, element) for element in elements]).mean(0)
    flat = changed.flatten(1)
    first = torch.randn(len(flat), generator=random).to(flat) @ flat
    second = (flat @ first) @ flat
    return (second / second.norm().clamp(min=1e-12)).view(samples.shape[1:])


def symmetric_copy(family: Family, samples: Tensor, seed: int) -> Tensor:
    """Samples with the exact symmetry of the whole family: every sample is a random element of its orbit."""
    random = generator_for("symmetry twin", seed)
    return act_on_each(family, samples, torch.randint(family.versions, (len(samples),), generator=random))


def act_on_each(family: Family, samples: Tensor, elements: Tensor) -> Tensor:
    """The image of every sample under an element of its own.  (N, C, ...), (N,) -> (N, C, ...)"""
    moved = samples.clone()
    for element in elements.unique().tolist():
        indices = (elements == element).nonzero().flatten().to(samples.device)
        moved[indices] = family.act(samples[indices], element)
    return moved
