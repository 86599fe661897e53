"""The symmetry of images that are seen several times, each time under an unknown element of a group."""

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.actions import vec
from lgn.discovery.filters.commutant import GAP, commutator_spectrum, cyclic_candidates, eigengap
from lgn.discovery.filters.permutations import permutation_group
from lgn.discovery.filters.record import Fit
from lgn.groups import cyclic
from lgn.linalg import double, nearest_permutation

WHITENING = 1e-3  # added to the variances of patches, as a share of their mean
REPEAT = 0.1  # the relative distance below which two views of an image are the same

# Note [Views]
# If g rotates an image, it rotates its patches x and their moments. Summed over a whole orbit, the moment M of an image
# commutes with the group, and the images have nothing else in common: the matrices that commute with all M are the
# group algebra. The sum must weigh all elements equally, which random views do not: repeated views count once, and only
# the images that show the largest number of elements are used.
# M is the sum of x x^T / |x| over whitened patches, in which the group is orthogonal and keeps |x|. Plain second
# moments are not sufficient: those of all patches of an image depend only on the distance of two pixels, and are equal
# for the image and the image rotated by 180 degrees.


def discover_from_views(views: Tensor, *, patch: int | tuple[int, int] = 6) -> Fit:
    """Find a group from images that were seen under unknown elements of it, without labels. See Note [Views].

    A group of order p shows p different views of an image, and its algebra has dimension p. It is found if the
    eigenvalues of the commutators jump there by a factor of 10 (`fit.eigengap`). The generators of a group of
    permutations of pixels are exact; a cyclic group has the generator in its algebra that is nearest to a permutation,
    since an algebra determines its generator only up to signs and coprime powers. For another group, the fit has the
    dimension of the algebra, but no group and no matrices.

    Only finite groups with complete orbits are found, not random angles. Shifts cannot be seen, because they leave the
    patches of an image as they are. Permutations of channels cannot be seen either.

    Shapes: (images, views, C, H, W) -> matrices (generators, d, d) that act on patches of `patch` pixels, float64
    """
    n, m = (patch, patch) if isinstance(patch, int) else patch
    _require(views, n, m)
    used, different = _complete_orbits(double(views).cpu())
    distinct = int(different[0].sum())
    values, directions = torch.linalg.eigh(_moments(used, different, (n, m)).mean(0))
    scale = (values.clamp_min(0) + WHITENING * values.mean()).sqrt()
    white, colour = ((directions * power) @ directions.T for power in (1 / scale, scale))
    eigenvalues, algebra = commutator_spectrum(_moments(used, different, (n, m), white))
    gap = eigengap(eigenvalues, distinct)
    dimension = distinct if gap >= GAP else 1
    group, matrices = None, algebra[:0]
    if dimension > 1:
        group, generators = permutation_group(colour @ algebra[:dimension] @ white)
        candidates = colour @ cyclic_candidates(algebra[:dimension]) @ white
        if len(candidates) and (group is None or len(group.generators) == 1):
            group, matrices = cyclic(dimension), _nearest_to_permutation(candidates)[None]
        elif generators is not None:
            matrices = generators
    return Fit("views", matrices, group, n * m, algebra_dimension=dimension, eigengap=gap)


def _require(views: Tensor, n: int, m: int) -> None:
    if views.ndim != 5:
        raise ValueError(f"views must be (images, views, C, H, W), got shape {tuple(views.shape)}")
    if len(views) < 2 or views.shape[1] < 2:
        raise ValueError(f"views must have at least 2 images with 2 views, got shape {tuple(views.shape)}")
    if min(n, m) < 2 or n > views.shape[3] or m > views.shape[4]:
        raise ValueError(f"patch must be from 2x2 to {views.shape[3]}x{views.shape[4]}, got {n}x{m}")
    if not torch.isfinite(views).all() or not views.any():
        raise ValueError("views must be finite and not all zero")


def _complete_orbits(views: Tensor) -> tuple[Tensor, Tensor]:
    """The images with the largest number of different views, and whether each of their views is not a repeat.

    Shapes: (images, views, C, H, W) -> (used, views, C, H, W), bool (used, views)
    """
    flat = views.flatten(2)
    size = flat.norm(dim=-1).clamp_min(torch.finfo(flat.dtype).tiny)
    repeat = (torch.cdist(flat, flat) < REPEAT * size.unsqueeze(-1)).tril(-1).any(-1)
    counts = (~repeat).sum(1)
    most = int((torch.bincount(counts) >= 0.05 * len(views)).nonzero().max())  # exceptions are ignored
    return views[counts == most], ~repeat[counts == most]


def _moments(views: Tensor, different: Tensor, patch: tuple[int, int], white: Tensor | None = None) -> Tensor:
    """The moments of the patches of each image over its different views: `x x^T`, or `x x^T / |x|` after whitening.

    Shapes: (images, views, C, H, W), bool (images, views) -> (images, d, d)
    """
    images, _, channels = views.shape[:3]
    total = views.new_zeros((), dtype=torch.float64)
    for number, is_new in enumerate(different.T):  # one view of all images at a time, which saves memory
        patches = F.unfold(views[:, number].flatten(0, 1).unsqueeze(1), patch)
        x = vec(patches.mT.unflatten(-1, patch)).reshape(images, -1, patch[0] * patch[1])  # all channels' patches
        weighted = x
        if white is not None:
            x = x @ white
            weighted = x / x.norm(dim=-1, keepdim=True).clamp_min(1e-9)
        total = total + is_new[:, None, None] * (weighted.mT @ x) / (x.shape[1] // channels)
    return total


def _nearest_to_permutation(candidates: Tensor) -> Tensor:
    """The candidate with the smallest relative distance to a permutation.  (candidates, d, d) -> (d, d)"""
    permutations = nearest_permutation(candidates)
    distances = torch.linalg.matrix_norm(candidates - permutations)  # permutations have equal norms
    return candidates[int(distances.argmin())]
