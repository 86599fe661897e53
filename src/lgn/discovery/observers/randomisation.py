"""An exact p-value for few samples: every sample is replaced by a random element of its orbit, many times."""

from collections.abc import Sequence

import torch
from torch import Tensor

from lgn.data import generator_for
from lgn.discovery.observers.accuracy import correctness
from lgn.stats import cluster_means

DRAWS = 1999
#: The largest number of test samples: with more samples, Student's p-value is as good.
FEW = 1000

# Note [Exact p-value]
# If T is a symmetry, x is as likely as T x, T^2 x, ...: given its orbit under T, a sample is any element of the orbit
# with the same probability. So all samples may be replaced by random elements of their orbits, and any statistic of a
# fixed observer keeps its distribution (Chiu and Bloem-Reddy, 2023, use kernels). The share of draws that reach the
# observed value is a p-value that is exact for any number of samples. The observer runs only once, because version v
# of T^k x is version v T^k of x. The samples of a cluster are moved together.


def exact_p(logits: Tensor, pairs: Sequence[tuple[int, int]], clusters: Tensor, seed: int) -> float:
    """The share of random elements of the orbits that are told apart as well as the samples. See Note [Exact p-value].

    It is not corrected for other transformations.

    Shapes: logits (N, versions, versions), clusters (N,)
    """
    times_t = torch.tensor([moved for _, moved in sorted(pairs)])  # the version v T for every version v
    power = identity = torch.arange(len(times_t))
    confidences: list[Tensor] = []  # of T^k x, for all powers k
    while not confidences or not torch.equal(power, identity):
        confidences.append(correctness(logits[:, power], pairs)[1])
        power = times_t[power]
    means = cluster_means(torch.stack(confidences), clusters).T  # (clusters, powers)
    random = generator_for("symmetry randomisation", seed)
    powers = torch.randint(len(confidences), (len(means), DRAWS), generator=random)
    totals = means.gather(1, powers).sum(0)
    return (1 + int((totals >= means[:, 0].sum() - 1e-9).sum())) / (1 + DRAWS)
