"""`Algebra`: the Lie algebra of a continuous group, by a basis of matrices."""

from dataclasses import dataclass

import torch
from torch import Tensor

#: Semisimple algebras of compact groups by their dimension.
COMPACT = {3: "so(3)", 6: "so(4)", 8: "su(3)", 10: "so(5)", 15: "so(6)"}
#: The smallest structure constant that counts: bases are estimated, and their elements have norm 1.
TOLERANCE = 0.1


@dataclass(frozen=True, eq=False)
class Algebra:
    """A Lie algebra of matrices L: `exp(t L)` is a symmetry for every t and every L in the span of the basis.

    Shapes: basis (m, d, d)
    """

    basis: Tensor
    #: Such as "so(3)"; empty for an algebra without a name.
    name: str = ""

    @property
    def dimension(self) -> int:
        """The number m of basis elements."""
        return len(self.basis)

    def __repr__(self) -> str:
        return f"Algebra({self.name or 'no name'}, dimension {self.dimension})"


def compact_name(basis: Tensor) -> str:
    """The name of an algebra of skew matrices of norm 1, such as "so(3) + so(2)"; empty if it is not known.

    The structure constants are `[L_i, L_j] = sum_k c_ijk L_k`, by least squares. The Killing form
    `K_ij = sum c_ikl c_jlk` vanishes on the abelian part and is negative on the semisimple part.

    Shapes: (m, d, d)
    """
    products = basis[:, None] @ basis[None]
    brackets = (products - products.transpose(0, 1)).flatten(2)
    constants = brackets @ torch.linalg.pinv(basis.flatten(1))
    killing = torch.einsum("ikl,jlk->ij", constants, constants)
    semisimple = int((torch.linalg.eigvalsh(-killing) > TOLERANCE**2).sum())
    if semisimple and semisimple not in COMPACT:
        return ""
    names = [COMPACT[semisimple]] if semisimple else []
    return " + ".join([*names, *["so(2)"] * (len(basis) - semisimple)])
