"""An exact p-value for "broken", for few images: each is replaced by a random element of its orbit, again and again."""

import torch
from torch import Tensor

from lgn.data import generator_for
from lgn.discovery.images.family import Candidate
from lgn.discovery.images.statistic import answers

DRAWS = 1999
#: Up to so many images that judge: with more, Student's p-value is as good.
FEW = 1000

# Note [Exact for few]
# If T is a symmetry, x is as likely as T x, T^2 x, ...: given its orbit under T, an image is each of it with the same
# probability. So all images may be replaced by random elements of their orbits, and any statistic of a fixed observer
# then has the law that it has of the images themselves (Chiu and Bloem-Reddy, 2023, use kernels). The share of draws
# that reach what was found is a p-value that is exact for any number of images. No image need be looked at again:
# version v of T^k x is version v T^k of x. Images of one cluster are moved together.


def exact_p(logits: Tensor, candidate: Candidate, clusters: Tensor, seed: int) -> float:
    """How often random elements of the orbits are told apart as surely. Note [Exact for few].

    Not corrected for other candidates.  Shapes: logits (N, versions, versions), clusters (N,)
    """
    after = dict(candidate.pairs)
    moved: list[Tensor] = []
    same = {h: h for h in after}
    version = dict(same)
    while not moved or version != same:
        here = torch.tensor([version[h] for h in range(len(version))])
        moved.append(answers(logits[:, here], candidate)[1])
        version = {h: after[there] for h, there in version.items()}
    _, place, counts = clusters.unique(return_inverse=True, return_counts=True)
    sure = torch.zeros(len(counts), len(moved), dtype=torch.float64)
    sure = sure.index_add(0, place, torch.stack(moved, 1)) / counts[:, None]  # (clusters, powers)
    generator = generator_for("symmetry randomisation", seed)
    powers = torch.randint(len(moved), (len(sure), DRAWS), generator=generator)
    drawn = sure.gather(1, powers).sum(0)
    return (1 + int((drawn >= sure[:, 0].sum() - 1e-9).sum())) / (1 + DRAWS)
