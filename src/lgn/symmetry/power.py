"""Would a break have been seen? One of known size is made in the user's own images, and looked for."""

import torch
from torch import Tensor

from lgn.data import generator_for
from lgn.symmetry.family import Family

# Note [A break of known size]
# "Kept" means that the best of all observers would tell x from T x with a share below 1/2 + margin. That ours does not
# is no proof: it may have seen too little. So the symmetry is broken by just as much, and a fresh observer looks for
# it. Each image is replaced by a random element of its orbit, which makes the symmetry exact; but 2 margin of the
# images are put into that version of their orbit for which a rule gives the largest number. The rule is where the
# brightness of the image lies: a matter of what is in the image, with no trace that an edit would leave. Of the images
# of the rule no two versions can both be had, so the laws of h x and h T x differ by 2 margin in total variation, and
# the best observer is right with 1/2 + margin. What ours reads, trained and judged on as many images, is what a break
# of the margin looks like here. A candidate is kept if it reads less than that, beyond the errors of both.


def planted_break(family: Family, elements: tuple[int, ...], images: Tensor, share: float, seed: int) -> Tensor:
    """Images with the exact symmetry of a subgroup, but for a share of them. Note [A break of known size].

    Shapes: (N, C, H, W) -> the same
    """
    assert family.rule is not None
    generator = generator_for("symmetry break", seed)
    numbers = torch.tensor(elements)
    heights = torch.stack([family.rule(family.act(images, element)) for element in elements], 1)  # (N, elements)
    random = torch.randint(len(elements), (len(images),), generator=generator)
    ruled = torch.rand(len(images), generator=generator) < share
    return put(family, images, numbers[torch.where(ruled, heights.argmax(1), random)])


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
