"""The moments of patches of images, class by class, and how far a matrix is from keeping them."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.actions import Patch, vec, written

CHUNK = 2**24  # numbers of patches, or of their outer products, in memory at a time
PATCHES, DIRECTIONS = 1_000_000, 100_000  # at most, for means and covariances, and for third moments
CONSTANT = 1e-6  # of the largest variance: below it a direction does not vary, and is left out

# Note [Moments that a symmetry keeps]
# If turned images are as likely as upright ones, class by class, then the patches of a class and the same patches
# turned have one distribution, and so one mean, one covariance, one tensor of third moments. A matrix that moves
# patches is a symmetry if it keeps all of these. Patches are whitened first, by the symmetric root: a symmetry that is
# orthogonal on pixels, as turns, flips and permutations are, commutes with the covariance of all patches, and so is the
# same matrix before and after it. Without whitening a few smooth patterns are all that is learned. Means and
# covariances of single classes say most; third moments, of the directions z / |z| and of all classes together, tell
# apart what they leave open, such as signs.


class PatchMoments(nn.Module):
    """Means and covariances of whitened patches by class, and third moments of their directions.

    `images` are (N, C, H, W), and every channel has patches of its own. A patch of (C, 1) for images of C channels is
    the colour of a pixel. `frame` takes mean and whitening from the moments of other images, to compare with them.
    See Note [Moments that a symmetry keeps].

    Shapes: a batch of matrices (count, d, d) -> (3, count), what is not kept at degrees 1, 2 and 3
    """

    mean: Tensor
    whitening: Tensor
    first: Tensor
    second: Tensor
    third: Tensor

    def __init__(
        self,
        images: Tensor,
        labels: Tensor | None,
        patch: Patch,
        *,
        frame: "PatchMoments | None" = None,
        seed: int = 0,
    ) -> None:
        super().__init__()
        _require(images, labels, patch)
        classes, numbers = _classes(labels, images)
        d = patch[0] * patch[1]
        sums = torch.zeros(classes, d, dtype=torch.float64, device=images.device)
        squares = torch.zeros(classes, d, d, dtype=torch.float64, device=images.device)
        counts = torch.zeros(classes, dtype=torch.float64, device=images.device)
        for x, chosen in _chunks(images, patch, PATCHES, seed):
            for c in range(classes):
                some = x[numbers[chosen] == c].flatten(0, 1)
                counts[c] += len(some)
                sums[c] += some.sum(0)
                squares[c] += some.T @ some
        means, seconds = sums / counts[:, None], squares / counts[:, None, None]
        if frame is None:
            mean, whitening = _whitening(means, seconds, counts)
        else:
            mean, whitening = frame.mean.double(), frame.whitening.double()
        offset = means - mean
        cross = means[:, :, None] * mean
        centred = seconds - cross - cross.mT + mean[:, None] * mean
        values = {
            "mean": mean,
            "whitening": whitening,
            "first": offset @ whitening,
            "second": whitening @ centred @ whitening,
            "third": _third(images, patch, mean, whitening, seed),
        }
        for name, value in values.items():  # found again from the images: never part of what is stored
            self.register_buffer(name, value.to(images.dtype), persistent=False)

    def forward(self, matrices: Tensor, target: "PatchMoments | None" = None) -> Tensor:
        """`|A . M - M|^2 / 2 |M|^2` for the moments M of each degree: 0 if A keeps them, about 1 if it does not care.

        Of covariances, |M| is what the classes differ by from the whole. With a `target`, `A . M` is compared with the
        moments of other images.

        Shapes: (count, d, d) -> (3, count)
        """
        other = self if target is None else target
        moved = self.first @ matrices.mT  # (count, classes, d)
        turned = matrices.unsqueeze(1) @ self.second @ matrices.mT.unsqueeze(1)  # (count, classes, d, d)
        third = (matrices @ self.third.flatten(1)).unflatten(-1, self.third.shape[1:])  # (count, d, d, d)
        third = matrices.unsqueeze(1) @ third @ matrices.mT.unsqueeze(1)
        missed = (moved - other.first, turned - other.second, third - other.third)
        eye = torch.eye(len(self.mean), dtype=self.second.dtype, device=self.second.device)
        sizes = (self.first, self.second - eye, self.third)
        return torch.stack([_share(gap.flatten(1), size) for gap, size in zip(missed, sizes, strict=True)])

    def differ(self, other: "PatchMoments") -> Tensor:
        """By how much the moments of other images differ, as if the identity had missed them.  -> (3,)"""
        eye = torch.eye(len(self.mean), dtype=self.second.dtype, device=self.second.device)
        return self(eye.unsqueeze(0), other)[:, 0]

    def extra_repr(self) -> str:
        return f"{len(self.first)} classes, {len(self.mean)} pixels"


def _share(gap: Tensor, size: Tensor) -> Tensor:
    """A moment that is nothing, as the mean of one class alone, has nothing to be kept."""
    whole = 2 * size.square().sum()
    return gap.square().sum(1) / whole if whole > 1e-6 else gap.new_zeros(len(gap))


def _chunks(images: Tensor, patch: Patch, most: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """Patches of some images at a time, with the images' numbers.  (n, patches of each, d), (n,)

    All patches where there are not too many; else as many of each image, from anywhere.
    """
    colours = patch == (images.shape[1], 1) and images.shape[1] > 1
    height, width = images.shape[-2:]
    each = height * width if colours else images.shape[1] * (height - patch[0] + 1) * (width - patch[1] + 1)
    per_image = max(1, most // len(images))
    random = torch.Generator().manual_seed(seed)
    for chosen in torch.arange(len(images), device=images.device).split(max(1, CHUNK // (each * patch[0] * patch[1]))):
        x = images[chosen]
        if colours:
            patches = x.flatten(2).mT
        else:
            unfolded = F.unfold(x.flatten(0, 1).unsqueeze(1), patch).mT  # (n * C, places, d), rows first
            patches = vec(unfolded.unflatten(-1, patch)).reshape(len(x), -1, patch[0] * patch[1])
        if per_image < each:
            places = torch.rand(len(x), each, generator=random).to(x.device).argsort(1)[:, :per_image]
            patches = patches.gather(1, places.unsqueeze(-1).expand(-1, -1, patches.shape[-1]))
        yield patches, chosen


def _whitening(means: Tensor, seconds: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and `C^(-1/2)` of all patches.  -> (d,), (d, d)"""
    shares = counts / counts.sum()
    mean = shares @ means
    covariance = (shares[:, None, None] * seconds).sum(0) - torch.outer(mean, mean)
    variances, directions = torch.linalg.eigh(covariance)
    varies = variances > CONSTANT * variances[-1]
    if int(varies.sum()) < 2:
        raise ValueError("images must have patches that vary, got constant ones")
    scale = torch.where(varies, variances, torch.inf).rsqrt()
    return mean, (directions * scale) @ directions.mT


def _third(images: Tensor, patch: Patch, mean: Tensor, whitening: Tensor, seed: int) -> Tensor:
    """`mean of u (x) u (x) u` over directions `u = z / |z|`.  -> (d, d, d)"""
    d = len(mean)
    total, count = torch.zeros(d, d * d, dtype=torch.float64, device=images.device), 0
    for x, _ in _chunks(images, patch, DIRECTIONS, seed):
        z = (x.flatten(0, 1) - mean.to(x)) @ whitening.to(x)
        u = z / z.norm(dim=1, keepdim=True).clamp_min(1e-6)
        for part in u.split(max(1, CHUNK // d**2)):
            total += part.T @ (part.unsqueeze(2) * part.unsqueeze(1)).flatten(1)
        count += len(u)
    return (total / count).view(d, d, d)


def _classes(labels: Tensor | None, images: Tensor) -> tuple[int, Tensor]:
    if labels is None:
        return 1, torch.zeros(len(images), dtype=torch.long, device=images.device)
    values, numbers = labels.to(images.device).unique(return_inverse=True)
    return len(values), numbers


def _require(images: Tensor, labels: Tensor | None, patch: Patch) -> None:
    if images.ndim != 4 or not images.is_floating_point() or len(images) < 2:
        raise ValueError(
            f"images must be at least 2 of a floating type, (N, C, H, W), got {images.dtype} {tuple(images.shape)}"
        )
    if labels is not None and (labels.shape != (len(images),) or labels.is_floating_point()):
        raise ValueError(f"labels must be {len(images)} whole numbers, got {labels.dtype} {tuple(labels.shape)}")
    if len(patch) != 2:
        raise ValueError(f"model must have generators on patches of images, got one on {written(patch)}")
    channels, height, width = images.shape[1:]
    if patch != (channels, 1) and (patch[0] > height or patch[1] > width):
        raise ValueError(f"images must be no smaller than the patch {patch[0]}x{patch[1]}, got {height}x{width}")
