"""Real irreducible representations, by decomposing the regular one numerically."""

import torch
from torch import Tensor

# Note [Decomposing the regular representation]
# L(g) permutes the elements by h -> g h. The average of L(g) X L(g)^T over the group commutes with all L(g); for a
# random symmetric X it is a random symmetric member of the commutant, whose eigenspaces are, almost surely, real and
# irreducible, and every irreducible representation is among them. Equivalent ones have equal characters.


def regular(table: Tensor) -> Tensor:
    """The matrices `L(g)`, with `L(g) e_h = e_(g h)`.  (p, p) -> (p, p, p), float64"""
    p = len(table)
    return torch.nn.functional.one_hot(table, p).double().transpose(1, 2)


def real_irreps(table: Tensor) -> tuple[Tensor, ...]:
    """One orthogonal representation (p, n, n) of each real irreducible kind: the trivial one first, then by size.

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
    # A representation of one dimension is made of signs: exactly so.
    found = [irrep.round() if irrep.shape[-1] == 1 else irrep for irrep in found]
    found.sort(key=lambda irrep: (irrep.shape[-1], (-characters(irrep)).round(decimals=6).tolist()))
    return tuple(found)


def characters(representation: Tensor) -> Tensor:
    """The traces.  (..., n, n) -> (...)"""
    return representation.diagonal(dim1=-2, dim2=-1).sum(-1)
