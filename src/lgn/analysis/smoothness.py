"""Nulls that keep the smoothness of filters: what a matrix between smooth filters looks like, whatever it does.

A generator that takes one smooth filter to another is smooth in both its indices, and so looks Toeplitz,
block-Toeplitz, multi-scale, or like pooling. White matrices do not. Each null here keeps the mean entry, the singular
values and the smoothness of what is mapped and of what it is mapped to, and gives up how the two belong together.

Note [Two nulls, and the larger p-value]
    `Remixed` keeps the singular vectors themselves, and cannot tell a relation that all its draws share; `Matched`
    keeps their covariances alone, as far as they are the same all over the patch. Each alone calls some matrices
    without an operator structured; the larger of their p-values does so in about one case of twenty, or fewer. On U the
    same holds for remixed matrices on their own orbits, and for `Repaired` filters.
"""

import math

import torch
from torch import Tensor

from lgn.actions import Patch, signed_permutations, unvec, vec
from lgn.analysis.nulls import orthonormal
from lgn.analysis.structure import by_offset
from lgn.transforms import move_axes

#: How far a singular component may move among its neighbours: enough to undo that U is V, and still as smooth.
NEIGHBOURS = 3.0


def turned_places(patch: Patch) -> Tensor:
    """Where each pixel goes under the turns and flips that the patch allows, eight if it is square: (Q, d).

    A signal has its reversal, a cube 48.
    """
    if len(patch) != 2:
        whole = unvec(torch.arange(math.prod(patch)), patch)
        moved = [move_axes(whole, each) for each in signed_permutations(len(patch))]
        return torch.stack([vec(each, len(patch)) for each in moved if each.shape == whole.shape])
    n, m = patch
    places = torch.arange(n * m).view(m, n).T  # the place in vec of each pixel (row, column)
    turns = [torch.rot90(places, k) for k in range(4)]
    both = [image for turn in turns for image in (turn, turn.flip(1)) if image.shape == (n, m)]
    return torch.stack([image.T.flatten() for image in both])


class Remixed:
    """`mu + Q U S E V'^T`: the singular components of `A - mu`, re-mixed.

    mu is the mean entry of A; E are random signs; the rows of V' are those of V, each exchanged with neighbours in the
    order of singular values (without it a symmetric A, whose U is V, would stay symmetric); Q is a random turn or flip
    of the output pixels.
    """

    def __init__(self, matrix: Tensor, patch: Patch) -> None:
        self.mean = float(matrix.mean())
        u, s, vh = torch.linalg.svd(matrix.double() - self.mean)
        self.left, self.right = (u * s)[turned_places(patch)].float(), vh.float()  # (Q, d, d), (d, d)

    def __call__(self, count: int, random: torch.Generator) -> Tensor:
        d = self.right.shape[0]
        signs = torch.randint(2, (count, d, 1), generator=random) * 2 - 1
        order = (torch.arange(d) + NEIGHBOURS * torch.rand(count, d, generator=random)).argsort(-1)
        turn = torch.randint(len(self.left), (count,), generator=random)
        return self.mean + self.left[turn] @ (signs * self.right[order])


class Matched:
    """`mu + B'`: random matrices with the singular values of `B = A - mu` and, nearly, its smoothness.

    `K_1^(1/2) Z K_2^(1/2)` with Gaussian Z has rows and columns as smooth as those of B: K_1 and K_2 are `B B^T` and
    `B^T B`, averaged over pairs of pixels with the same offset, so that no place is special. Its singular values are
    then replaced by those of B.
    """

    def __init__(self, matrix: Tensor, patch: Patch) -> None:
        matrix = matrix.double()
        self.mean = float(matrix.mean())
        centred = matrix - self.mean
        self.values = torch.linalg.svdvals(centred).float()
        covariances = (centred @ centred.T, centred.T @ centred)
        self.left, self.right = (_root(by_offset(each, patch)).float() for each in covariances)

    def __call__(self, count: int, random: torch.Generator) -> Tensor:
        d = len(self.values)
        u, _, vh = torch.linalg.svd(self.left @ torch.randn(count, d, d, generator=random) @ self.right)
        return self.mean + (u * self.values) @ vh


class Repaired:
    """Generators of sets that no generator made: each element is taken from another set of the same network.

    For each element j a set h_j and a turn or flip Q_j are drawn: `w'_j = Q_j w_(h_j, j)`, all columns of a set
    together, with the norms of the own filters. `A' w'_j = w'_(j+1)` by least squares, each pair over `|w'_j|`.

    Shapes: sets (S, order, d, N) -> draws `A' P_U'` and `P_U'`, both (count, d, d).
    """

    def __init__(self, sets: Tensor, own: int, patch: Patch) -> None:
        norms = sets[own].norm(dim=1)  # (order, N)
        self.unit = torch.nn.functional.normalize(sets, dim=2)
        self.growth = norms[1:] / norms[:-1].clamp(min=torch.finfo(norms.dtype).tiny)
        self.turns = turned_places(patch)

    def __call__(self, count: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
        sets, order, _, columns = self.unit.shape
        chosen = torch.randint(sets, (count, order), generator=random)
        turn = self.turns[torch.randint(len(self.turns), (count, order), generator=random)]
        filters = self.unit[chosen, torch.arange(order)]  # (count, order, d, N)
        filters = filters.gather(2, turn[..., None].expand(-1, -1, -1, columns))
        before = filters[:, :-1].transpose(1, 2).flatten(2)  # (count, d, (order - 1) N)
        after = (filters[:, 1:] * self.growth[:, None]).transpose(1, 2).flatten(2)
        basis, mixing = orthonormal(before)
        return (after @ mixing @ basis.mT).float(), (basis @ basis.mT).float()


def _root(covariance: Tensor) -> Tensor:
    """The symmetric square root; averaging can leave negative eigenvalues, which are taken for 0."""
    values, vectors = torch.linalg.eigh(covariance)
    return (vectors * values.clamp(min=0).sqrt()) @ vectors.T
