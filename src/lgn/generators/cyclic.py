"""`Cyclic`: matrices whose powers return to the identity, so that the filter set is a true group."""

import torch
from torch import Tensor

from lgn.actions import Patch
from lgn.generators.representation import Representation
from lgn.groups import Group
from lgn.measures import closure_error


class Cyclic(Representation):
    """`A = S R S^-1` with `A^p = I`: a cyclic group of the given order (sec. 3), `Representation` of one generator.

    R has 2x2 rotations by multiples of `2 pi / p` and 1x1 blocks of 1 (and -1 for even p). How many of each is fixed
    at the start, by rounding the eigenvalues of the starting matrix to p-th roots of unity (a negative real one to 1
    for odd p); S is learned. A start that is a cyclic group already is kept exactly. One whose eigenvectors are nearly
    dependent is first replaced by its polar factor. See Note [Conditioning of S].
    """

    name = "cyclic"
    law = "A^p = I"
    penalty = "inverse"  # as the paper's generators, with which it is compared

    def __init__(self, start: Tensor, patch: Patch, group: Group | int = 4, *, stretched: bool = True) -> None:
        if isinstance(group, Group) and len(group.generators) != 1:
            names = ", ".join(group.generators)
            raise ValueError(
                f"generator must be 'representation' for {group.name} with its generators {names}, got 'cyclic'"
            )
        super().__init__(start, patch, group, stretched=stretched)

    @torch.no_grad()
    def law_error(self) -> Tensor:
        return closure_error(self.matrix(), self.order)

    def extra_repr(self) -> str:
        return super(Representation, self).extra_repr() + f", p = {self.order}"
