"""The observer: a small network that says which version of an image it sees."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.data import generator_for
from lgn.symmetry.family import Family

#: Images in one step, all versions of each.
TOGETHER = 16
#: Versions that are shown in all; fewer where that would be more than EPOCHS passes, which are learned by heart.
VISITS, EPOCHS = 64_000, 24
#: Images are averaged over squares until no side is longer than this.
SIDE = 16
RATE, WIDTH = 1e-2, 16
#: Added to resampled versions, of a spread of 1 over the image set: hides what resampling does to fine noise.
NOISE = 0.1


def network(channels: int, outputs: int) -> nn.Sequential:
    """Three convolutions, of 16, 32 and 64 filters, batch normalisation, the mean over the image, a linear head.

    Shapes: (N, channels, H, W) -> (N, outputs)
    """
    layers: list[nn.Module] = []
    sizes = (channels, WIDTH, 2 * WIDTH, 4 * WIDTH)
    for inputs, filters, stride in zip(sizes, sizes[1:], (1, 2, 2), strict=False):
        layers += [nn.Conv2d(inputs, filters, 3, stride, padding=1, bias=False), nn.BatchNorm2d(filters), nn.ReLU()]
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(sizes[-1], outputs))
    return model.to(memory_format=torch.channels_last)


def smaller(images: Tensor, side: int = SIDE) -> Tensor:
    """Averaged over equal squares until no side is longer than `side`; commutes with turns and flips by quarters.

    Shapes: (N, C, H, W) -> (N, C, H', W')
    """
    factor = -(-max(images.shape[-2:]) // side)
    if factor <= 1:
        return images
    size = [max(round(length / factor), 1) for length in images.shape[-2:]]
    # Windows of this pooling lie alike from both ends, whether or not the factor divides the length.
    return F.adaptive_avg_pool2d(images, size)


def learn(family: Family, images: Tensor, seed: int, visits: int = VISITS) -> nn.Module:
    """Train an observer: all versions of each image together, AdamW with one cycle of its rate.

    Shapes: images (N, C, H, W), floats around 0
    """
    channels = family.show(images[:1], 0).shape[1]
    with seeded("observer", seed) as generator:
        model = network(channels, family.versions).train()
        steps = max(min(visits // family.versions, EPOCHS * len(images)) // TOGETHER, 2)
        rounds = -(-steps * TOGETHER // len(images))
        order = torch.cat([torch.randperm(len(images), generator=generator) for _ in range(rounds)])
        optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
        wanted = torch.arange(family.versions).repeat_interleave(TOGETHER)
        for batch in order[: steps * TOGETHER].split(TOGETHER):
            loss = F.cross_entropy(model(_shown(family, images[batch], generator)), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return model.eval()


@torch.no_grad()
def logits(model: nn.Module, family: Family, images: Tensor, seed: int) -> Tensor:
    """What the observer says of every version of every image.  -> (N, versions, versions): image, version, answer"""
    with seeded("looking", seed) as generator:
        parts = [
            model(_shown(family, some, generator)).unflatten(0, (family.versions, -1)) for some in images.split(500)
        ]
    return torch.cat(parts, 1).transpose(0, 1)


def _shown(family: Family, images: Tensor, generator: torch.Generator) -> Tensor:
    """All versions, as the observer sees them.  (N, C, H, W) -> (versions * N, C, H', W')"""
    versions = smaller(torch.cat([family.show(images, version) for version in range(family.versions)]))
    if family.resampled:
        versions = versions + NOISE * torch.randn(versions.shape, generator=generator)
    return versions.contiguous(memory_format=torch.channels_last)


@contextmanager
def seeded(purpose: str, seed: int) -> Iterator[torch.Generator]:
    """Random numbers of one purpose; torch's own are left as they were."""
    generator = generator_for(f"symmetry {purpose}", seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(torch.randint(2**31, (1,), generator=generator)))
        yield generator
