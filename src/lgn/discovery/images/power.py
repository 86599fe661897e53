"""Would a break have been seen? One of known size is made in the user's own images, and looked for."""

import torch
from torch import Tensor

from lgn.data import generator_for
from lgn.discovery.images.family import Family

# Note [A break of known size]
# "Kept" means that the best of all observers would tell x from T x with a share below 1/2 + margin. That ours does not
# is no proof: it may have seen too little. So the symmetry is broken by just as much, and a fresh observer looks for
# it. Each image is replaced by a random element of its orbit, which makes the symmetry exact; but 2 margin of the
# images are put into that version of their orbit for which a rule gives the largest number. Of the images of the rule
# no two versions can both be had, so the laws of h x and h T x differ by 2 margin in total variation, and the best
# observer is right with 1/2 + margin. What ours reads, trained and judged on as many images, is what a break of the
# margin looks like here. A candidate is kept if it reads less than that, beyond the errors of both.
#
# The rule is likeness to a pattern: a matter of what is in an image, with no trace that an edit would leave. For every
# observer one is drawn anew from what these images show: a random mixture of their parts that the group changes, in
# which those weigh most that differ most between the versions of an image. Any images and any group have such patterns.
# (Where the brightness lies, which was the rule before, says nothing of digits that are centred by it.)
#
# What it proves: that breaks which can be seen as well as a plain pattern, spread over the whole image, would have been
# found. A break of the margin that is harder to learn, a fine texture or a matter of two parts together, may be missed.
# Among breaks of one size it is not the easiest: every image speaks a little for one version (.55 to .45), and none
# much; a break that rests on a few images that speak plainly is weighed more (Note [How sure]).

#: As many images at most are mixed into a pattern.
MIXED = 2000


def planted_break(family: Family, elements: tuple[int, ...], images: Tensor, share: float, seed: int) -> Tensor:
    """Images with the exact symmetry of a subgroup, but for a share of them. Note [A break of known size].

    Shapes: (N, C, H, W) -> the same
    """
    generator = generator_for("symmetry break", seed)
    numbers = torch.tensor(elements)
    wanted = pattern(family, elements, images[:MIXED], generator).flatten()
    heights = torch.stack([family.act(images, element).flatten(1) @ wanted for element in elements], 1)
    random = torch.randint(len(elements), (len(images),), generator=generator)
    ruled = torch.rand(len(images), generator=generator) < share
    return put(family, images, numbers[torch.where(ruled, heights.argmax(1), random)])


def pattern(family: Family, elements: tuple[int, ...], images: Tensor, generator: torch.Generator) -> Tensor:
    """A random mixture of what a subgroup changes in images.

    Of `y = x - mean over g of g x`, with S their covariance, it is Gaussian with covariance S^3: a mixture of all y
    with random weights, then one with the likeness of each y to the first as its weight.  (N, C, H, W) -> (C, H, W)
    """
    changed = images - torch.stack([family.act(images, element) for element in elements]).mean(0)
    flat = changed.flatten(1)
    first = torch.randn(len(flat), generator=generator) @ flat
    second = (flat @ first) @ flat
    return (second / second.norm().clamp(min=1e-12)).view(images.shape[1:])


def twin(family: Family, images: Tensor, seed: int) -> Tensor:
    """Images with the exact symmetry of the whole family: each a random element of its orbit."""
    generator = generator_for("symmetry twin", seed)
    return put(family, images, torch.randint(family.versions, (len(images),), generator=generator))


def put(family: Family, images: Tensor, elements: Tensor) -> Tensor:
    """Each image under its own element.  (N, C, H, W), (N,) -> (N, C, H, W)"""
    moved = images.clone()
    for element in elements.unique().tolist():
        chosen = elements == element
        moved[chosen] = family.act(images[chosen], element)
    return moved
