"""An exact p-value for few samples: every sample is replaced by a random element of its orbit, many times."""

from collections.abc import Sequence

import torch
from torch import Tensor

from lgn.data import generator_for
from lgn.discovery.observers.reading import answers

DRAWS = 1999
#: The largest number of test samples: with more, Student's p-value is as good.
FEW = 1000

# Note [Exact for few]
# If T is a symmetry, x is as likely as T x, T^2 x, ...: given its orbit under T, a sample is each element of it with
# the same probability. So all samples may be replaced by random elements of their orbits, and any statistic of a fixed
# observer then has the distribution that it has on the samples themselves (Chiu and Bloem-Reddy, 2023, use kernels).
# The share of draws that reach the observed value is a p-value that is exact for any number of samples. The observer
# need not be run again: version v of T^k x is version v T^k of x. The samples of a cluster are moved together.


def exact_p(logits: Tensor, pairs: Sequence[tuple[int, int]], clusters: Tensor, seed: int) -> float:
    """The share of random elements of the orbits that are told apart as well. See Note [Exact for few].

    It is not corrected for other transformations.

    Shapes: logits (N, versions, versions), clusters (N,)
    """
    after = dict(pairs)
    moved: list[Tensor] = []
    same = {h: h for h in after}
    version = dict(same)
    while not moved or version != same:
        here = torch.tensor([version[h] for h in range(len(version))])
        moved.append(answers(logits[:, here], pairs)[1])
        version = {h: after[there] for h, there in version.items()}
    _, place, counts = clusters.unique(return_inverse=True, return_counts=True)
    confidence = torch.zeros(len(counts), len(moved), dtype=torch.float64)
    confidence = confidence.index_add(0, place, torch.stack(moved, 1)) / counts[:, None]  # (clusters, powers)
    random = generator_for("symmetry randomisation", seed)
    powers = torch.randint(len(moved), (len(confidence), DRAWS), generator=random)
    drawn = confidence.gather(1, powers).sum(0)
    return (1 + int((drawn >= confidence[:, 0].sum() - 1e-9).sum())) / (1 + DRAWS)
