"""Real irreducible representations, by a numerical decomposition of the regular representation."""

import torch
from torch import Tensor

# Note [Decomposing the regular representation]
# L(g) permutes the elements: h -> g h. The average of L(g) X L(g)^T over the group commutes with all L(g). For a
# random symmetric X the average is a random symmetric matrix of the commutant, and its eigenspaces are, almost surely,
# real and irreducible. Every irreducible representation is among them. Equivalent ones have equal characters.


def regular(table: Tensor) -> Tensor:
    """The matrices `L(g)`, with `L(g) e_h = e_(g h)`.  (p, p) -> (p, p, p), float64"""
    p = len(table)
    return torch.nn.functional.one_hot(table, p).double().transpose(1, 2)


def real_irreps(table: Tensor) -> tuple[Tensor, ...]:
    """The inequivalent real irreducible representations (p, n, n), orthogonal, the trivial one first, then by size.

    See Note [Decomposing the regular representation].
    """
    matrices = regular(table)
    p = len(table)
    x = torch.randn(p, p, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    commuting = (matrices @ (x + x.T) @ matrices.mT).mean(0)
    values, vectors = torch.linalg.eigh(commuting)
    cuts = (values.diff() > 1e-9 * (values[-1] - values[0])).nonzero().flatten() + 1
    found: list[Tensor] = []
    for space in torch.tensor_split(vectors, cuts.tolist(), dim=1):
        irrep = space.T @ matrices @ space  # (p, n, n)
        if all((characters(irrep) - characters(known)).abs().max() > 1e-6 for known in found):
            found.append(irrep)
    # A representation of dimension 1 consists of signs, and is made exact.
    found = [irrep.round() if irrep.shape[-1] == 1 else irrep for irrep in found]
    found.sort(key=lambda irrep: (irrep.shape[-1], (-characters(irrep)).round(decimals=6).tolist()))
    return tuple(found)


def characters(representation: Tensor) -> Tensor:
    """The traces.  (..., n, n) -> (...)"""
    return representation.diagonal(dim1=-2, dim2=-1).sum(-1)
