"""`KeptMoments`: a penalty for generators that change the moments of image patches by class."""

from collections.abc import Iterator

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lgn.actions import Patch, size_text, vec
from lgn.linalg import double, identity_like
from lgn.penalties.algebraic import Penalty

CHUNK = 2**24  # the largest number of values of patches, or of their outer products, in memory at a time
PATCHES, DIRECTIONS = 1_000_000, 100_000  # the largest number of patches, and of directions for third moments
CONSTANT = 1e-6  # directions with less than this share of the largest variance are constant and left out

# Note [Moments that a symmetry keeps]
# If rotated images are as likely as upright images in every class, the patches of a class and their rotated copies have
# the same distribution, and therefore the same mean, covariance and third moments. A matrix on patches is a symmetry if
# it keeps all of these. Patches are whitened first, by the symmetric root of the covariance of all patches. A symmetry
# that is orthogonal on pixels, such as a rotation, flip or permutation, commutes with that covariance, so it is the
# same matrix before and after whitening. Without whitening, only a few smooth patterns would be learned. Means and
# covariances of classes carry most information. Third moments, of the directions z / |z| of all classes together,
# determine what these leave open, such as signs.


class PatchMoments(nn.Module):
    """Means and covariances of whitened patches by class, and third moments of their directions.

    `images` are (N, C, H, W); the patches of all channels are used. For a patch of (C, 1), where C is the number of
    channels, the patches are the colours of pixels. `frame` takes the mean and the whitening from the moments of other
    images, so that the two can be compared. See Note [Moments that a symmetry keeps].

    Shapes: a batch of matrices (count, d, d) -> (3, count), the violations of degrees 1, 2 and 3
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
        if images.ndim != 4 or not images.is_floating_point() or len(images) < 2:
            found = f"{images.dtype} {tuple(images.shape)}"
            raise ValueError(f"images must be (N, C, H, W) with N >= 2 of a floating-point type, got {found}")
        if labels is not None and (labels.shape != (len(images),) or labels.is_floating_point()):
            raise ValueError(f"labels must be {len(images)} whole numbers, got {labels.dtype} {tuple(labels.shape)}")
        if len(patch) != 2:
            raise ValueError(f"model must have generators on patches of images, got one on {size_text(patch)}")
        channels, height, width = images.shape[1:]
        if patch != (channels, 1) and (patch[0] > height or patch[1] > width):
            raise ValueError(f"images must be at least as large as the patch {size_text(patch)}, got {height}x{width}")
        means, seconds, counts = _class_moments(images, labels, patch, seed)
        if frame is None:
            mean, whitening = _whitening(means, seconds, counts)
        else:
            mean, whitening = double(frame.mean), double(frame.whitening)
        cross = means[:, :, None] * mean
        centred = seconds - cross - cross.mT + mean[:, None] * mean
        values = {
            "mean": mean,
            "whitening": whitening,
            "first": (means - mean) @ whitening,
            "second": whitening @ centred @ whitening,
            "third": _third(images, patch, mean, whitening, seed),
        }
        for name, value in values.items():  # computed from the images, so not part of the stored state
            self.register_buffer(name, value.to(images), persistent=False)

    def forward(self, matrices: Tensor, target: "PatchMoments | None" = None) -> Tensor:
        """`|A . M - M|^2 / 2 |M|^2` for the moments M of each degree: 0 if A keeps them, about 1 for an unrelated A.

        For covariances, |M| is the norm of the differences between the classes and the whole. With a `target`, `A . M`
        is compared with the moments of other images.

        Shapes: (count, d, d) -> (3, count)
        """
        other = self if target is None else target
        first = self.first @ matrices.mT  # (count, classes, d)
        second = matrices.unsqueeze(1) @ self.second @ matrices.mT.unsqueeze(1)  # (count, classes, d, d)
        third = (matrices @ self.third.flatten(1)).unflatten(-1, self.third.shape[1:])  # (count, d, d, d)
        third = matrices.unsqueeze(1) @ third @ matrices.mT.unsqueeze(1)
        differences = (first - other.first, second - other.second, third - other.third)
        sizes = (self.first, self.second - identity_like(self.second), self.third)
        return torch.stack([_relative(d.flatten(1), size) for d, size in zip(differences, sizes, strict=True)])

    def difference(self, other: "PatchMoments") -> Tensor:
        """The violations of the identity with other images as the target: the noise of the moments.  -> (3,)"""
        return self(identity_like(self.second).unsqueeze(0), other)[:, 0]


class KeptMoments(Penalty):
    """`mu * sum over generators and degrees l of |A . M_l - M_l|^2 / 2 |M_l|^2`: A keeps the moments of patches.

    M_1 and M_2 are the means and covariances of the whitened patches of each class, and M_3 the third moments of their
    directions; without labels, only M_3 is used. Every trained generator is compared with the patches of its own size.
    A generator on channels is compared with the colours of pixels. Give training images only.
    See Note [Moments that a symmetry keeps].

    The identity keeps everything. The families `cyclic` and `representation` exclude the identity; other families may
    learn it.
    """

    def __init__(
        self, model: nn.Module, images: Tensor, labels: Tensor | None = None, weight: float = 1.0, *, seed: int = 0
    ) -> None:
        super().__init__(model, weight)
        patches = dict.fromkeys(generator.patch for generator in self.generators)
        self.moments = nn.ModuleDict(
            {size_text(patch): PatchMoments(images, labels, patch, seed=seed) for patch in patches}
        ).to(self.generators[0].matrix().dtype)

    def value(self) -> Tensor:
        return torch.stack([violation.sum() for violation in self.violations().values()]).sum()

    def violations(self) -> dict[str, Tensor]:
        """The violation of each matrix, summed over degrees, by patch size: {"5x5": (count,)}."""
        batches: dict[str, list[Tensor]] = {}
        for generator in self.generators:
            batches.setdefault(size_text(generator.patch), []).append(generator.matrix().flatten(0, 1))
        return {size: self.moments[size](torch.cat(batch)).sum(0) for size, batch in batches.items()}


def _relative(difference: Tensor, size: Tensor) -> Tensor:
    """0 for a moment that is zero, such as the mean of a single class."""
    scale = 2 * size.square().sum()
    return difference.square().sum(1) / scale if scale > 1e-6 else difference.new_zeros(len(difference))


def _class_moments(images: Tensor, labels: Tensor | None, patch: Patch, seed: int) -> tuple[Tensor, Tensor, Tensor]:
    """The mean patch, the mean outer product of patches and the number of patches of each class.

    Shapes: -> (classes, d), (classes, d, d), (classes,) in float64
    """
    numbers = torch.zeros(len(images), dtype=torch.long, device=images.device)
    if labels is not None:
        numbers = labels.to(images.device).unique(return_inverse=True)[1]
    classes, d = int(numbers.max()) + 1, patch[0] * patch[1]
    sums = double(images.new_zeros(classes, d))
    squares, counts = sums.new_zeros(classes, d, d), sums.new_zeros(classes)
    for x, chosen in _chunks(images, patch, PATCHES, seed):
        for c in range(classes):
            patches = x[numbers[chosen] == c].flatten(0, 1)
            counts[c] += len(patches)
            sums[c] += patches.sum(0).to(sums)
            squares[c] += (patches.T @ patches).to(sums)
    return sums / counts[:, None], squares / counts[:, None, None], counts


def _chunks(images: Tensor, patch: Patch, limit: int, seed: int) -> Iterator[tuple[Tensor, Tensor]]:
    """The patches of some images at a time (n, patches per image, d), with the numbers of the images (n,).

    If there are more than `limit` patches, a random sample of equal size is drawn from each image.
    """
    colours = patch == (images.shape[1], 1) and images.shape[1] > 1
    height, width = images.shape[-2:]
    count = height * width if colours else images.shape[1] * (height - patch[0] + 1) * (width - patch[1] + 1)
    per_image = max(1, limit // len(images))
    random = torch.Generator().manual_seed(seed)
    for chosen in torch.arange(len(images), device=images.device).split(max(1, CHUNK // (count * patch[0] * patch[1]))):
        x = images[chosen]
        if colours:
            patches = x.flatten(2).mT
        else:
            unfolded = F.unfold(x.flatten(0, 1).unsqueeze(1), patch).mT  # (n * C, places, d), rows first
            patches = vec(unfolded.unflatten(-1, patch)).reshape(len(x), -1, patch[0] * patch[1])
        if per_image < count:
            places = torch.rand(len(x), count, generator=random).to(x.device).argsort(1)[:, :per_image]
            patches = patches.gather(1, places.unsqueeze(-1).expand(-1, -1, patches.shape[-1]))
        yield patches, chosen


def _whitening(means: Tensor, seconds: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
    """The mean and `C^(-1/2)` of all patches.  -> (d,), (d, d)"""
    shares = counts / counts.sum()
    mean = shares @ means
    covariance = (shares[:, None, None] * seconds).sum(0) - torch.outer(mean, mean)
    variances, directions = torch.linalg.eigh(covariance)
    varies = variances > CONSTANT * variances[-1]
    if int(varies.sum()) < 2:
        raise ValueError("images must have patches that vary, got constant patches")
    scale = torch.where(varies, variances, torch.inf).rsqrt()
    return mean, (directions * scale) @ directions.mT


def _third(images: Tensor, patch: Patch, mean: Tensor, whitening: Tensor, seed: int) -> Tensor:
    """The mean of `u (x) u (x) u` over directions `u = z / |z|`.  -> (d, d, d)"""
    d = len(mean)
    total, count = mean.new_zeros(d, d * d), 0
    for x, _ in _chunks(images, patch, DIRECTIONS, seed):
        z = (x.flatten(0, 1) - mean.to(x)) @ whitening.to(x)
        u = z / z.norm(dim=1, keepdim=True).clamp_min(1e-6)
        for part in u.split(max(1, CHUNK // d**2)):
            total += (part.T @ (part.unsqueeze(2) * part.unsqueeze(1)).flatten(1)).to(total)
        count += len(u)
    return (total / count).view(d, d, d)
