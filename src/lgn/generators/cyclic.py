"""`Cyclic`: matrices with `A^p = I`, so that the filter set is a true group."""

import torch
from torch import Tensor

from lgn.actions import Patch
from lgn.generators.representation import Representation
from lgn.groups import Group
from lgn.measures import closure_error


class Cyclic(Representation):
    """`A = S R S^-1` with `A^p = I`: a cyclic group of order p (sec. 3), the `Representation` with one generator.

    R has 2x2 rotations by multiples of `2 pi / p` and 1x1 blocks of 1 (and -1 for even p). Their numbers are fixed at
    the start, by rounding the eigenvalues of the starting matrix to p-th roots of unity (for odd p, negative real
    eigenvalues to 1); S is learned. A start with `A^p = I` is kept exactly. A start with nearly dependent eigenvectors
    is first replaced by its polar factor. See Note [Conditioning of S].
    """

    name = "cyclic"
    guarantee = "A^p = I"
    penalty = "inverse"  # the penalty of the paper's generators, with which it is compared

    def __init__(self, start: Tensor, patch: Patch, group: Group | str | int = 4, *, stretched: bool = True) -> None:
        if isinstance(group, Group) and len(group.generators) != 1:
            names = ", ".join(group.generators)
            raise ValueError(
                f"generator must be 'representation' for {group.name} with its generators {names}, got 'cyclic'"
            )
        super().__init__(start, patch, group, stretched=stretched)

    @torch.no_grad()
    def guarantee_error(self) -> Tensor:
        return closure_error(self.matrix(), self.order)

    def extra_repr(self) -> str:
        return super(Representation, self).extra_repr() + f", p = {self.order}"
