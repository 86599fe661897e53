"""The observer: a small network that tells which version of a sample it sees."""

import math
from collections.abc import Callable, Sequence

import torch
from torch import Generator, Tensor, nn
from torch.nn import functional as F

from lgn.fitting import fit, seeded, shuffled_indices
from lgn.transforms import Family

#: Versions per step.
BATCH = 128
#: How often an observer sees a sample in all its versions. It memorises samples that it sees again: with 10,000 images,
#: five passes find half as much of a break of the margin as one pass.
PASSES = 1.25
#: The smallest and the largest number of versions that an observer is shown.
LEAST_SHOWN, MOST_SHOWN = 16_000, 96_000
#: Samples are averaged until no side is longer than this, by the number of axes.
SIDES = {1: 128, 2: 16, 3: 8}
#: The size of filters: a signal has room for longer ones.
KERNELS = {1: 7, 2: 3, 3: 3}
#: The number of filters of the first convolution.
WIDTH = 16
#: The last layer sees the means of this many parts of a sample along each axis.
PARTS = {1: 8, 2: 2, 3: 2}
#: A factor of the outputs for signals and volumes: Note [Signals and volumes are seen whole].
SLOW = 0.03
#: The number of versions in one batch of a trained observer, which limits the memory: a volume has 48 versions.
TEST_BATCH = {1: 4000, 2: 4000, 3: 1000}
#: Noise added to resampled versions of samples with a standard deviation of 1: it hides the smoothing of fine noise.
NOISE = 0.1
POOLS = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}

# Note [Signals and volumes are seen whole]
# Convolutions that are averaged over parts of a long signal lose a pattern that differs from place to place: for a
# stationary process, they told a break of the margin apart at 0.51. So a linear layer sees all values, in addition to
# the convolutions, which find patterns at any place. Both learn slowly: the outputs are SLOW times the sum of the
# layers, while a step of AdamW changes their weights by the usual amount. Then the effect of many signals adds up over
# the steps, but not the effect of one signal. Images need only the convolutions.


class PlusLinear(nn.Module):
    """Convolutions plus a linear layer of all values. See Note [Signals and volumes are seen whole]."""

    def __init__(self, parts: nn.Module, values: int, outputs: int) -> None:
        super().__init__()
        self.parts, self.whole = parts, nn.Linear(values, outputs, bias=False)
        nn.init.zeros_(self.whole.weight)

    def forward(self, x: Tensor) -> Tensor:
        return SLOW * (self.parts(x) + self.whole(x.flatten(1)))


def network(shape: Sequence[int], outputs: int) -> nn.Module:
    """Three convolutions of 16, 32 and 64 filters with batch normalisation, means over parts, and a linear head.

    Shapes: (N, *shape) -> (N, outputs), shape with the channels first
    """
    axes = len(shape) - 1
    convolution, norm, pool = (getattr(nn, f"{name}{axes}d") for name in ("Conv", "BatchNorm", "AdaptiveAvgPool"))
    kernel = KERNELS[axes]
    layers: list[nn.Module] = []
    sizes = (shape[0], WIDTH, 2 * WIDTH, 4 * WIDTH)
    for inputs, filters, stride in zip(sizes, sizes[1:], (1, 2, 2), strict=False):
        layers += [convolution(inputs, filters, kernel, stride, padding=kernel // 2, bias=False), norm(filters)]
        layers.append(nn.ReLU())
    head = nn.Linear(sizes[-1] * PARTS[axes] ** axes, outputs)
    model = nn.Sequential(*layers, pool(PARTS[axes]), nn.Flatten(), head)
    if axes != 2:
        return PlusLinear(model, math.prod(shape), outputs)
    return model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def shrink(samples: Tensor, side: int | None = None) -> Tensor:
    """Average samples over equal windows until no side is longer than `side`; this commutes with turns and flips.

    Shapes: (N, C, ...) -> (N, C, ...')
    """
    axes = samples.ndim - 2
    factor = -(-max(samples.shape[2:]) // (side or SIDES[axes]))
    if factor <= 1:
        return samples
    # Windows of this pooling are the same from both ends, even if the factor does not divide the length.
    return POOLS[axes](samples, tuple(max(round(length / factor), 1) for length in samples.shape[2:]))  # type: ignore[arg-type]


def laid_out(samples: Tensor) -> Tensor:
    """The samples in the memory layout of the fastest convolutions on a CPU: images with their channels innermost."""
    return samples.contiguous(memory_format=torch.channels_last) if samples.ndim == 4 else samples.contiguous()


def learn(family: Family, samples: Tensor, seed: int, effort: float = 1.0) -> nn.Module:
    """Train an observer on all versions of samples with mean 0; `effort` is a factor of the length of the training.

    Shapes: samples (N, C, ...)
    """
    versions_of = _versions_of(family, samples)
    per_step = max(BATCH // family.versions, 1)
    steps = max(round(number_shown(family, len(samples), effort) / (per_step * family.versions)), 2)
    with seeded("symmetry observer", seed) as random:
        model = network(versions_of(torch.arange(1)).shape[1:], family.versions).to(samples.device)
        versions = torch.arange(family.versions, device=samples.device).repeat_interleave(per_step)
        batches = shuffled_indices(len(samples), steps, per_step, random)
        return fit(model, ((_with_noise(versions_of(batch), family, random), versions) for batch in batches), steps)


def number_shown(family: Family, samples: int, effort: float = 1.0) -> float:
    """The number of versions that an observer is shown."""
    return effort * min(max(PASSES * samples * family.versions, LEAST_SHOWN), MOST_SHOWN)


@torch.no_grad()
def logits(model: nn.Module, family: Family, samples: Tensor, seed: int) -> Tensor:
    """The outputs of an observer for every version of every sample, on the CPU.

    Shapes: -> (N, versions, versions): sample, version, output
    """
    versions_of = _versions_of(family, samples)
    batch = min(TEST_BATCH[samples.ndim - 2] // family.versions, 500)
    with seeded("symmetry looking", seed) as random:
        parts = [
            model(_with_noise(versions_of(indices), family, random)).unflatten(0, (family.versions, -1))
            for indices in torch.arange(len(samples)).split(batch)
        ]
    return torch.cat(parts, 1).transpose(0, 1).cpu()


def _versions_of(family: Family, samples: Tensor) -> Callable[[Tensor], Tensor]:
    """A function from the indices of n samples to all their versions, (versions * n, C, ...).

    Resampled versions are computed once, because resampling takes longer than the network.
    """
    if not family.resampled:
        return lambda indices: _versions(family, samples[indices])
    parts = [_versions(family, part).unflatten(0, (family.versions, -1)) for part in samples.split(500)]
    versions = torch.cat(parts, 1)
    return lambda indices: versions[:, indices].flatten(0, 1)


def _versions(family: Family, samples: Tensor) -> Tensor:
    side = SIDES[samples.ndim - 2]
    side = min(side, max(max(samples.shape[2:]) // 2, 4)) if family.resampled else side
    return laid_out(torch.cat([shrink(family.show(samples, version), side) for version in range(family.versions)]))


def _with_noise(versions: Tensor, family: Family, random: Generator) -> Tensor:
    if not family.resampled:
        return versions
    return versions + NOISE * torch.randn(versions.shape, generator=random).to(versions)
