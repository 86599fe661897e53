"""The observer: a small network that says which version of an image it sees."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.data import generator_for
from lgn.discovery.images.family import Family

#: What one step sees: all versions of as many images as make so many.
BATCH = 128
#: How often an observer sees each image, in all its versions. What it sees again it learns by heart: at 10,000 images
#: five passes see half of a break of the margin that one pass sees.
PASSES = 1.25
#: But so many versions at least, which few images need to be learned at all, and no more than so many.
LEAST, MOST = 16_000, 96_000
#: Images are averaged over squares until no side is longer than this; signals and volumes by their number of axes.
SIDE = 16
SIDES = {1: 128, 2: SIDE, 3: 8}
#: The size of filters: a signal has room for longer ones.
KERNELS = {1: 7, 2: 3, 3: 3}
RATE, WIDTH = 1e-2, 16
#: The last layer sees the means of this many parts of the image each way; a signal has room for more.
PLACES = {1: 8, 2: 2, 3: 2}
#: Of signals and volumes: Note [Signals and volumes are looked at whole].
SLOWLY = 0.03
#: Versions that are looked at together, which bounds the memory: a cube has 48 of each volume.
AT_ONCE = {1: 4000, 2: 4000, 3: 1000}
#: Added to resampled versions, of a spread of 1 over the image set: hides what resampling does to fine noise.
NOISE = 0.1


# Note [Signals and volumes are looked at whole]
# A pattern that is spread over a long signal, the same at no two places, is lost where filters are averaged over parts
# of it: of a stationary process a break of the margin read .51. So beside the convolutions, which find what may be
# anywhere, a linear layer sees all values. Both begin near nothing and are learned slowly: the answers are SLOWLY times
# what the layers say, while each step of AdamW moves their weights as much as ever. What many signals say adds up over
# the steps, what one of them says does not. The same layers at full speed read .524 where this reads .53, and .535 is
# what 7,200 such signals allow (tried on other signals than those of the benchmark). Images have the convolutions
# alone, as they were measured.


class Whole(nn.Module):
    """Convolutions and a linear layer of all values, slowly. Note [Signals and volumes are looked at whole]."""

    def __init__(self, parts: nn.Module, values: int, outputs: int) -> None:
        super().__init__()
        self.parts, self.whole = parts, nn.Linear(values, outputs, bias=False)
        nn.init.zeros_(self.whole.weight)

    def forward(self, x: Tensor) -> Tensor:
        return SLOWLY * (self.parts(x) + self.whole(x.flatten(1)))


def network(shape: Sequence[int], outputs: int) -> nn.Module:
    """Three convolutions, of 16, 32 and 64 filters, batch normalisation, means over quarters of the image, linear head.

    Of signals and volumes the whole is seen beside. Shapes: (N, *shape) -> (N, outputs), shape with the channels first
    """
    axes = len(shape) - 1
    convolution, norm, pool = (getattr(nn, f"{name}{axes}d") for name in ("Conv", "BatchNorm", "AdaptiveAvgPool"))
    kernel = KERNELS[axes]
    layers: list[nn.Module] = []
    sizes = (shape[0], WIDTH, 2 * WIDTH, 4 * WIDTH)
    for inputs, filters, stride in zip(sizes, sizes[1:], (1, 2, 2), strict=False):
        layers += [convolution(inputs, filters, kernel, stride, padding=kernel // 2, bias=False), norm(filters)]
        layers.append(nn.ReLU())
    head = nn.Linear(sizes[-1] * PLACES[axes] ** axes, outputs)
    model = nn.Sequential(*layers, pool(PLACES[axes]), nn.Flatten(), head)
    if axes != 2:
        return Whole(model, math.prod(shape), outputs)
    return model.to(memory_format=torch.channels_last)  # type: ignore[call-overload]


def smaller(images: Tensor, side: int | None = None) -> Tensor:
    """Averaged over equal squares until no side is longer than `side`; commutes with turns and flips by quarters.

    Shapes: (N, C, H, W) -> (N, C, H', W'), or signals or volumes
    """
    axes = images.ndim - 2
    factor = -(-max(images.shape[2:]) // (side or SIDES[axes]))
    if factor <= 1:
        return images
    sizes = tuple(max(round(length / factor), 1) for length in images.shape[2:])
    # Windows of this pooling lie alike from both ends, whether or not the factor divides the length.
    return POOLS[axes](images, sizes)  # type: ignore[arg-type]  # as many sizes as axes


def laid_out(images: Tensor) -> Tensor:
    """As convolutions are fastest on a CPU: images with their channels innermost."""
    return images.contiguous(memory_format=torch.channels_last) if images.ndim == 4 else images.contiguous()


POOLS = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}


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
        seen = shown(torch.arange(1))
        model = network(seen.shape[1:], family.versions).train()
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
    at_once = min(AT_ONCE[images.ndim - 2] // family.versions, 500)
    with seeded("looking", seed) as generator:
        parts = [
            model(_noisy(shown(chosen), family, generator)).unflatten(0, (family.versions, -1))
            for chosen in torch.arange(len(images)).split(at_once)
        ]
    return torch.cat(parts, 1).transpose(0, 1)


def drawn(images: int, steps: int, together: int, generator: torch.Generator) -> Iterable[Tensor]:
    """Batches of equal size, all images once before any comes again."""
    rounds = -(-steps * together // images)
    order = torch.cat([torch.randperm(images, generator=generator) for _ in range(rounds)])
    return order[: steps * together].split(together)


def _versions(family: Family, images: Tensor) -> Tensor:
    side = SIDES[images.ndim - 2]
    side = min(side, max(max(images.shape[2:]) // 2, 4)) if family.resampled else side
    versions = [smaller(family.show(images, version), side) for version in range(family.versions)]
    return laid_out(torch.cat(versions))


def _noisy(seen: Tensor, family: Family, generator: torch.Generator) -> Tensor:
    return seen + NOISE * torch.randn(seen.shape, generator=generator) if family.resampled else seen


@contextmanager
def seeded(purpose: str, seed: int) -> Iterator[torch.Generator]:
    """Random numbers of one purpose; torch's own are left as they were."""
    generator = generator_for(f"symmetry {purpose}", seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(torch.randint(2**31, (1,), generator=generator)))
        yield generator
