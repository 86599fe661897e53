"""The observer: a small network that says which version of an image it sees."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.data import generator_for
from lgn.symmetry.family import Family

#: What one step sees: all versions of as many images as make so many.
BATCH = 128
#: How often an observer sees each image, in all its versions. What it sees again it learns by heart: at 10,000 images
#: five passes see half of a break of the margin that one pass sees.
PASSES = 1.25
#: But so many versions at least, which few images need to be learned at all, and no more than so many.
LEAST, MOST = 16_000, 96_000
#: Images are averaged over squares until no side is longer than this.
SIDE = 16
RATE, WIDTH = 1e-2, 16
#: The last layer sees the means of this many parts of the image each way.
PLACES = 2
#: Added to resampled versions, of a spread of 1 over the image set: hides what resampling does to fine noise.
NOISE = 0.1


def network(channels: int, outputs: int) -> nn.Sequential:
    """Three convolutions, of 16, 32 and 64 filters, batch normalisation, means over quarters of the image, linear head.

    Shapes: (N, channels, H, W) -> (N, outputs)
    """
    layers: list[nn.Module] = []
    sizes = (channels, WIDTH, 2 * WIDTH, 4 * WIDTH)
    for inputs, filters, stride in zip(sizes, sizes[1:], (1, 2, 2), strict=False):
        layers += [nn.Conv2d(inputs, filters, 3, stride, padding=1, bias=False), nn.BatchNorm2d(filters), nn.ReLU()]
    head = nn.Linear(sizes[-1] * PLACES**2, outputs)
    model = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(PLACES), nn.Flatten(), head)
    return model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def smaller(images: Tensor, side: int = SIDE) -> Tensor:
    """Averaged over equal squares until no side is longer than `side`; commutes with turns and flips by quarters.

    Shapes: (N, C, H, W) -> (N, C, H', W')
    """
    factor = -(-max(images.shape[-2:]) // side)
    if factor <= 1:
        return images
    height, width = (max(round(length / factor), 1) for length in images.shape[-2:])
    # Windows of this pooling lie alike from both ends, whether or not the factor divides the length.
    return F.adaptive_avg_pool2d(images, (height, width))


View = Callable[[Tensor], Tensor]


def view(family: Family, images: Tensor) -> View:
    """What the observer is shown of images that are chosen by their numbers: all versions, (versions * n, C, H', W').

    Resampled versions are made once, for they take longer than looking at them.
    """
    if not family.resampled:
        return lambda chosen: _versions(family, images[chosen])
    parts = [_versions(family, some).unflatten(0, (family.versions, -1)) for some in images.split(500)]
    made = torch.cat(parts, 1)
    return lambda chosen: made[:, chosen].flatten(0, 1)


def learn(family: Family, images: Tensor, seed: int, effort: float = 1.0) -> nn.Module:
    """Train an observer: all versions of each image together, AdamW with one cycle of its rate.

    effort: how much longer than usual.

    Shapes: images (N, C, H, W), floats around 0
    """
    shown = view(family, images)
    together = max(BATCH // family.versions, 1)
    with seeded("observer", seed) as generator:
        model = network(shown(torch.arange(1)).shape[1], family.versions).train()
        steps = max(round(visits(family, len(images), effort) / (together * family.versions)), 2)
        optimizer = torch.optim.AdamW(model.parameters(), lr=RATE)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
        wanted = torch.arange(family.versions).repeat_interleave(together)
        for chosen in drawn(len(images), steps, together, generator):
            seen = _noisy(shown(chosen), family, generator)
            loss = F.cross_entropy(model(seen), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
    return model.eval()


def visits(family: Family, images: int, effort: float = 1.0) -> float:
    """How many versions of images an observer is shown."""
    return effort * min(max(PASSES * images * family.versions, LEAST), MOST)


@torch.no_grad()
def logits(model: nn.Module, family: Family, images: Tensor, seed: int) -> Tensor:
    """What the observer says of every version of every image.  -> (N, versions, versions): image, version, answer"""
    shown = view(family, images)
    with seeded("looking", seed) as generator:
        parts = [
            model(_noisy(shown(chosen), family, generator)).unflatten(0, (family.versions, -1))
            for chosen in torch.arange(len(images)).split(500)
        ]
    return torch.cat(parts, 1).transpose(0, 1)


def drawn(images: int, steps: int, together: int, generator: torch.Generator) -> Iterable[Tensor]:
    """Batches of equal size, all images once before any comes again."""
    rounds = -(-steps * together // images)
    order = torch.cat([torch.randperm(images, generator=generator) for _ in range(rounds)])
    return order[: steps * together].split(together)


def _versions(family: Family, images: Tensor) -> Tensor:
    side = min(SIDE, max(max(images.shape[-2:]) // 2, 4)) if family.resampled else SIDE
    versions = [smaller(family.show(images, version), side) for version in range(family.versions)]
    return torch.cat(versions).contiguous(memory_format=torch.channels_last)


def _noisy(seen: Tensor, family: Family, generator: torch.Generator) -> Tensor:
    return seen + NOISE * torch.randn(seen.shape, generator=generator) if family.resampled else seen


@contextmanager
def seeded(purpose: str, seed: int) -> Iterator[torch.Generator]:
    """Random numbers of one purpose; torch's own are left as they were."""
    generator = generator_for(f"symmetry {purpose}", seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(torch.randint(2**31, (1,), generator=generator)))
        yield generator
