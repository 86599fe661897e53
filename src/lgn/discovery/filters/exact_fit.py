"""The generators of a finite group from a bank of filters in closed form, with all relations."""

import math

import torch
from torch import Tensor

from lgn.discovery.filters.noise import TOLERANCE
from lgn.generators import Representation
from lgn.generators.decomposition import decompose
from lgn.groups import Group, relation_error

# Note [Fitting a representation]
# All filters of a bank are the columns of F, (d, N), N = sets * channels * order. Left multiplication by an element a
# permutes them, F P_a, and a bank of orbits has rho(a) F = F P_a. Least squares for each generator alone,
# A_a = F P_a pinv(F), is biased by noise and is not a representation. The joint fit: F has the form C V with
# orthonormal rows V that span a space that all P_a keep, and then rho(a) = C (V P_a V^T) C^-1 satisfies every relation.
# Of all such spaces, the leading eigenvectors of mean_g P_g^T F^T F P_g leave the least of F, because an orthogonal
# projection that commutes with every P_g depends on F only through that mean. This is the least-squares fit of orbits
# of a group, with noise on all filters, in closed form; the eigenvectors are those of the stacked F P_g. A last
# projection onto `Representation` makes it exact.
# Most groups of pixels are orthogonal, and then the stretch P in S = P Q is noise. The nearest orthogonal
# representation is taken if it explains the filters as well for its fewer parameters (Schwarz's criterion).


def fit_representation(filters: Tensor, group: Group) -> Tensor:
    """The generators of a group whose orbits are the sets; the identity on the complement of the filters.

    See Note [Fitting a representation].

    Shapes: (sets, order, channels, d) -> (generators, d, d)
    """
    d = filters.shape[-1]
    columns = filters.transpose(1, 2).flatten(0, 1)  # (sets * channels, order, d)
    f = columns.flatten(0, 1).T  # (d, N)
    u, s, _ = torch.linalg.svd(f, full_matrices=False)
    dimension = int((s > TOLERANCE * s[0]).sum())
    inside = u[:, :dimension]
    moved = [columns[:, group.table[g]].flatten(0, 1).T for g in range(group.order)]  # F P_g
    stacked = torch.cat([inside.T @ part for part in moved])  # (order * dimension, N)
    values, vectors = torch.linalg.eigh(stacked @ stacked.T)
    leading, size = vectors[:, -dimension:], values[-dimension:].clamp_min(1e-300).sqrt()
    v = (leading / size).T @ stacked  # orthonormal rows, (dimension, N)
    c = inside.T @ f @ v.T
    matrices = []
    for a in group.generator_elements:
        permuted = v.unflatten(1, (-1, group.order))[:, :, group.table[a]].flatten(1)  # V P_a
        matrices.append(torch.linalg.solve(c, c @ (permuted @ v.T), left=False))
    free = _exact(torch.stack(matrices), group)
    _, frame, turns = map(torch.from_numpy, decompose(free.numpy(), group))
    orthogonal = frame @ turns @ frame.T
    costs = [_criterion(free, columns @ inside, group, True), _criterion(orthogonal, columns @ inside, group, False)]
    best = free if costs[0] <= costs[1] else orthogonal
    return inside @ best @ inside.T + torch.eye(d, dtype=f.dtype) - inside @ inside.T


def _criterion(matrices: Tensor, vectors: Tensor, group: Group, stretched: bool) -> float:
    """Schwarz's criterion: the residual of the orbits of the best bases, and the cost of the stretch.

    Shapes: (generators, d, d), (sets * channels, order, d)
    """
    rho = group.representation(matrices)  # (order, d, d)
    if not torch.isfinite(rho).all():
        return torch.inf
    normal = (rho.mT @ rho).sum(0)
    bases = torch.linalg.solve(normal, torch.einsum("gij,kgi->jk", rho, vectors))
    left = (vectors - torch.einsum("gij,jk->kgi", rho, bases)).square().mean()
    floor = (1e-10 * vectors.square().mean().sqrt()).square()  # rounding must not decide
    d, count = matrices.shape[-1], vectors.numel()
    # The parameters of a stretch are symmetric matrices, except those that commute with the group and change nothing.
    character = rho.diagonal(dim1=-2, dim2=-1).sum(-1)
    squares = character[group.table.diagonal()]
    fixed = float((character.square() + squares).mean()) / 2
    numbers = d * (d + 1) / 2 - fixed if stretched else 0.0
    return float(count * torch.maximum(left, floor).log() + numbers * math.log(count))


def _exact(matrices: Tensor, group: Group) -> Tensor:
    """The nearest representation; rounding and eigenvectors cut from a cluster leave small errors in the relations."""
    if float(relation_error(group, matrices)) < 1e-12:
        return matrices
    if not torch.isfinite(matrices).all() or float(torch.linalg.cond(matrices).max()) > 1e8:
        # No representation is near filters that are not orbits: the trivial one is as good as any.
        return torch.eye(matrices.shape[-1], dtype=matrices.dtype).expand_as(matrices)
    with torch.no_grad():
        return Representation(matrices[:, None], (matrices.shape[-1], 1), group).matrix()[:, 0]
