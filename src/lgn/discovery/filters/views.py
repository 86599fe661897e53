"""The symmetry of images that are seen several times, each time under an unknown element of a group."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.actions import vec
from lgn.discovery.filters.commutant import GAP, commutator_spectrum, cyclic_candidates, eigengap
from lgn.discovery.filters.permutations import permutation_group
from lgn.groups import Group, cyclic
from lgn.linalg import nearest_permutation

WHITENING = 1e-3  # added to the variances of patches, as a share of their mean
REPEAT = 0.1  # relative distance under which two views of an image are the same

# Note [Views]
# If g turns an image, it turns its patches x, and their moments. Summed over the whole orbit, a moment M of an image
# commutes with the group, for every image, and the images have nothing else in common: the matrices that commute with
# all M are the group algebra. The sum must weigh all elements alike, and views drawn at random do not: repeats count
# once, and of the images those are used that show as many elements as any.
# M is the sum of x x^T / |x| over whitened patches, in which the group is orthogonal and keeps |x|. Plain second
# moments would not do: those of all patches of an image depend on the distance of two pixels alone, and are the same
# for the image turned by 180 degrees, whatever it shows.


@dataclass(frozen=True, eq=False)
class ViewSymmetry:
    """What the views have in common. `dimension` 1 says: nothing, no symmetry was found.

    A group of order p shows p different views of an image, and its algebra has p dimensions: it is claimed where the
    eigenvalues jump there.

    The algebra names its generator only up to signs and coprime powers; of these the one nearest to a permutation of
    pixels is given. Of a group that is not cyclic, the permutations of pixels in its algebra are looked for: where they
    are as many as it has dimensions and make a group, that is it.

    What every image has anyway cannot be seen, such as shifts, whose patches are the same; nor can permutations of
    channels, which are treated alike.
    """

    #: Of the group algebra: the order of a cyclic group.
    dimension: int
    #: The generator (d, d), with A^dimension = I; None where there is none.
    matrix: Tensor | None
    #: The permutation of pixels nearest to `matrix`, (d, d), and how far it is, relative to it.
    permutation: Tensor | None
    permutation_distance: float | None
    #: The lowest eigenvalues of the commutators, as shares of their mean: the jump in them decides.
    eigenvalues: tuple[float, ...]
    #: The factor of the jump, from the last eigenvalue inside the algebra to the first outside; a claim needs 10.
    eigengap: float
    #: How many different views an image has, of those used, and how many images were used.
    distinct_views: int
    images: int
    #: The group, where it is one of permutations of pixels or cyclic; its generators, one matrix for each, (g, d, d).
    group: Group | None = None
    generators: Tensor | None = None

    @property
    def found(self) -> bool:
        return self.dimension > 1

    @property
    def name(self) -> str:
        """`D4`, `C2 x C2`, ...; "none" where nothing was found, "unknown" for an algebra whose group is not."""
        if not self.found:
            return "none"
        return "unknown" if self.group is None else self.group.name

    def __repr__(self) -> str:
        if not self.found:
            return f"ViewSymmetry(no symmetry found: {self.distinct_views} views differ, eigengap {self.eigengap:.3g})"
        kind = "no group known" if self.group is None else f"the group {self.group.name}"
        return f"ViewSymmetry(dimension {self.dimension}, {kind}, eigengap {self.eigengap:.3g})"


def discover_from_views(views: Tensor, patch: int | tuple[int, int] = 6) -> ViewSymmetry:
    """The group under whose unknown elements each image was seen, from its patches, without labels.

    Finite groups that are sampled well only: a group of uniform angles has no complete orbit among a few views, and
    nothing is claimed. Channels are treated alike. See Note [Views].

    Shapes: (images, views, C, H, W), of any numbers -> a generator that acts on patches of `patch` pixels.
    """
    n, m = (patch, patch) if isinstance(patch, int) else patch
    if views.ndim != 5:
        raise ValueError(f"views must be (images, views, C, H, W), got shape {tuple(views.shape)}")
    if len(views) < 2 or views.shape[1] < 2:
        raise ValueError(f"views must hold at least 2 images with 2 views each, got shape {tuple(views.shape)}")
    if min(n, m) < 2 or n > views.shape[3] or m > views.shape[4]:
        raise ValueError(f"patch must be from 2x2 to the images' {views.shape[3]}x{views.shape[4]}, got {n}x{m}")
    if not torch.isfinite(views).all() or not views.any():
        raise ValueError("views must be finite and not all zero")
    used, different = _complete_orbits(views)
    distinct = int(different[0].sum())
    values, directions = torch.linalg.eigh(_moments(used, different, (n, m)).mean(0))
    scale = (values.clamp_min(0) + WHITENING * values.mean()).sqrt()
    white, colour = ((directions * power) @ directions.T for power in (1 / scale, scale))
    eigenvalues, matrices = commutator_spectrum(_moments(used, different, (n, m), white))
    # A group shows as many views as its algebra has dimensions: there the eigenvalues must jump.
    gap = eigengap(eigenvalues, distinct)
    dimension = distinct if gap >= GAP else 1
    candidates = cyclic_candidates(matrices[:dimension]) if dimension > 1 else matrices[:0]
    matrix, permutation, distance = _nearest_to_permutation(colour @ candidates @ white)
    group, generators = None, None
    if dimension > 1:
        group, generators = permutation_group(colour @ matrices[:dimension] @ white)
    if group is None and matrix is not None:
        group, generators = cyclic(dimension), matrix[None]
    return ViewSymmetry(
        dimension,
        matrix,
        permutation,
        distance,
        tuple(eigenvalues.tolist()),
        gap,
        distinct,
        len(used),
        group,
        generators,
    )


def _complete_orbits(views: Tensor) -> tuple[Tensor, Tensor]:
    """The images that have most different views, and which of their views are not repeats.

    Shapes: (images, views, C, H, W) -> (used, views, C, H, W), bool (used, views)
    """
    flat = views.flatten(2).double()
    size = flat.norm(dim=-1).clamp_min(torch.finfo(flat.dtype).tiny)
    # A view is a repeat if an earlier one is the same.
    repeat = (torch.cdist(flat, flat) < REPEAT * size.unsqueeze(-1)).tril(-1).any(-1)
    counts = (~repeat).sum(1)
    most = int((torch.bincount(counts) >= 0.05 * len(views)).nonzero().max())  # no single image's accident
    return views[counts == most], ~repeat[counts == most]


def _moments(views: Tensor, different: Tensor, patch: tuple[int, int], white: Tensor | None = None) -> Tensor:
    """Moments of the patches of each image over its different views: `x x^T`, or `x x^T / |x|` of whitened ones.

    Shapes: (images, views, C, H, W), bool (images, views) -> (images, d, d)
    """
    images, _, channels = views.shape[:3]
    total = views.new_zeros((), dtype=torch.float64)
    for number, here in enumerate(different.T):  # one view of all images at a time: patches are many
        patches = F.unfold(views[:, number].double().flatten(0, 1).unsqueeze(1), patch)
        x = vec(patches.mT.unflatten(-1, patch)).reshape(images, -1, patch[0] * patch[1])  # all channels' patches
        weighted = x
        if white is not None:
            x = x @ white
            weighted = x / x.norm(dim=-1, keepdim=True).clamp_min(1e-9)
        total = total + here[:, None, None] * (weighted.mT @ x) / (x.shape[1] // channels)
    return total


def _nearest_to_permutation(candidates: Tensor) -> tuple[Tensor | None, Tensor | None, float | None]:
    if not len(candidates):
        return None, None, None
    permutations = [nearest_permutation(candidate) for candidate in candidates]
    distances = [float((c - p).norm() / p.norm()) for c, p in zip(candidates, permutations, strict=True)]
    best = min(range(len(distances)), key=distances.__getitem__)
    return candidates[best], permutations[best], distances[best]
