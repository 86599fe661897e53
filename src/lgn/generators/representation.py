"""`Representation`: one matrix for each generator of a finite group; every relation holds by construction."""

import math
import warnings

import numpy as np
import torch
from torch import Tensor, nn

from lgn.actions import Patch
from lgn.generators.base import Generator, require_invertible
from lgn.generators.decomposition import blocks_of, decompose
from lgn.generators.orthogonal import OrthogonalWeight
from lgn.generators.starts import start_matrices
from lgn.groups import Group, as_group, relation_error
from lgn.linalg import double, identity_like
from lgn.measures import closure_error
from lgn.warning import LgnWarning

# Note [Conditioning of S]
# A = S R S^-1 satisfies every relation of R for any invertible S, but its rounding error grows with the condition
# number of S, and a free S drifts towards singular matrices in training. It is therefore written in polar form,
# S = P Q, with Q orthogonal and P = I + radius * 2 H (I + H^2)^-1 for a free symmetric H. The fraction maps the
# spectrum of H into [-1, 1], so the spectrum of P lies in [1 - radius, 1 + radius]. Every S of bounded condition is
# reached, up to a scale that cancels in A. A radius of 0.6 bounds the condition number by 4; a start that needs a
# larger radius gets it.
DEFAULT_RADIUS = 0.6


class Representation(Generator):
    """`A_a = S R_a S^-1` for each generator a of a finite group: a true representation (sec. 3).

    R is a direct sum of real irreducible representations of the group; for a cyclic group these are 2x2 rotations and
    signs. Their multiplicities are fixed at the start, from the rounded character of the starting matrices; a random
    start has about those of the regular representation. S is learned. A start that is a representation is kept exactly.
    Any other start is projected approximately, by alternating projections, and by those of its polar factors if its
    products are too ill-conditioned. See Note [Conditioning of S] and Note [Nearest representation].

    With `stretched=False`, P is not trained, so A stays orthogonal for an orthogonal start.
    """

    name = "representation"
    guarantee = "A_a = S R_a S^-1"
    penalty = "none"  # A is invertible by construction
    option_names = ("stretched",)
    stretch: Tensor
    radius: Tensor
    blocks: Tensor

    def __init__(self, start: Tensor, patch: Patch, group: Group | str | int = 4, *, stretched: bool = True) -> None:
        self.stretched = stretched
        super().__init__(start, patch, group)

    def _project(self, start: Tensor) -> None:
        require_invertible(start, type(self).__name__)
        matrices = start.unflatten(0, (len(self.group.generators), -1)).cpu().double()  # (generators, leading, ...)
        parts = [decompose(set_.numpy(), self.group) for set_ in matrices.flatten(1, 2).transpose(0, 1)]
        p, q, r = (torch.as_tensor(np.stack(part)).to(start) for part in zip(*parts, strict=True))
        p, q = (part.reshape(matrices.shape[1:]) for part in (p, q))
        r = r.transpose(0, 1).reshape(start.shape)  # generators first, as in the start
        if torch.allclose(r, identity_like(r).expand_as(r)):
            warnings.warn(
                f"start rounds to the identity for the group {self.group.name}, so {type(self).__name__} stays the "
                "identity; use start='orthogonal' or matrices of the group",
                LgnWarning,
                stacklevel=4,
            )
        self.turns = OrthogonalWeight(q)
        eigenvalues, vectors = torch.linalg.eigh(p)
        low, high = eigenvalues[..., :1], eigenvalues[..., -1:]
        offset = 2 * eigenvalues / (low + high) - 1  # the scale of P cancels in A, so its spectrum is centred on 1
        reach = offset.abs().amax(-1, keepdim=True)
        radius = torch.minimum(reach / 0.95, (1 + reach) / 2).clamp_min(DEFAULT_RADIUS)  # below 1, above reach
        share = offset / radius
        stretch = share / (1 + (1 - share**2).sqrt())  # the inverse of x -> 2 x / (1 + x^2)
        symmetric = (vectors * stretch.unsqueeze(-2)) @ vectors.mT
        if self.stretched:
            self.stretch = nn.Parameter(symmetric)
        else:
            self.register_buffer("stretch", symmetric)
        self.register_buffer("radius", radius.unsqueeze(-1))
        self.register_buffer("blocks", r)

    def matrix(self) -> Tensor:
        # In float64, so that the guarantee is as exact as the type of the result allows.
        h = double(self.stretch + self.stretch.mT) / 2
        eye = identity_like(h)
        p = eye + double(self.radius) * torch.linalg.solve(eye + h @ h, 2 * h)
        s = p @ double(self.turns())
        blocks = double(self.blocks).unflatten(0, (-1, len(s)))  # (generators, leading, channels, d, d)
        product = torch.linalg.solve(s, s @ blocks, left=False)
        return product.flatten(0, 1).to(self.stretch)

    @torch.no_grad()
    def guarantee_error(self) -> Tensor:
        """The largest error of a relation, the same for all generators of a set."""
        matrices = self.matrix().unflatten(0, (len(self.group.generators), -1))
        return relation_error(self.group, matrices).repeat(len(matrices), 1)

    def rebase_(self) -> None:
        self.turns.rebase_()

    def determined_dimension(self, bases: int) -> int:
        # Every generator maps every element of a set into the set.
        return min(bases * self.order, math.prod(self.patch))

    @torch.no_grad()
    def fresh_starts(self, count: int, place: int = 0) -> Tensor | None:
        """New starts; for a group with several generators, the present blocks in random frames.

        A null model draws thousands of starts, and to project all of them would take an hour.
        """
        if self.start_name is None or len(self.group.generators) == 1:
            return super().fresh_starts(count, place)
        blocks = self.blocks.unflatten(0, (len(self.group.generators), -1))[place].flatten(0, 1).cpu()
        q = start_matrices("orthogonal", (count, 1), blocks.shape[-1], dtype=blocks.dtype)[:, 0]
        return q @ blocks[torch.arange(count) % len(blocks)] @ q.mT

    def extra_repr(self) -> str:
        return super().extra_repr() + f", {self.group.name}: {', '.join(self.group.relations)}"


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
            needed = f"{group.name} with its generators {', '.join(group.generators)}"
            raise ValueError(f"generator must be 'representation' for {needed}, got 'cyclic'")
        super().__init__(start, patch, group, stretched=stretched)

    @torch.no_grad()
    def guarantee_error(self) -> Tensor:
        return closure_error(self.matrix(), self.order)

    def extra_repr(self) -> str:
        return super(Representation, self).extra_repr() + f", p = {self.order}"


# Note [Traces of starts]
# The multiplicities of the irreducible representations in A never change, so a start must guess them. The trace of a
# permutation is the number of pixels that it fixes: 0 or 1 for a rotation of a square, as in the regular
# representation, and up to one side for a flip. So elements of order 2 that are not squares, such as flips, get a
# random number of fixed pixels for each start, and all other elements get none.
def permutation_like(group: Group | str | int, d: int, count: int) -> list[Tensor]:
    """Random starts `Q R_a Q^T` for each generator a of a group, for the argument `start` of layers and generators.

    See Note [Traces of starts].  -> a list with (count, 1, d, d) for each generator
    """
    group = as_group(group)
    if d < 2 or count < 1:
        raise ValueError(f"d must be at least 2 and count at least 1, got {d} and {count}")
    squares = set(group.table.diagonal().tolist())
    flips = [g for g in range(1, group.order) if group.element_orders[g] == 2 and g not in squares]
    blocks = []
    for _ in range(count):
        character = torch.zeros(group.order, dtype=torch.float64)
        character[0] = d
        character[flips] = float(torch.randint(math.isqrt(d) // 2 + 1, ()) * 2 + d % 2)
        blocks.append(blocks_of(character, d, group)[list(group.generator_elements)])
    frames = start_matrices("orthogonal", (count, 1), d)
    stacked = torch.stack(blocks, 1).unsqueeze(2).to(frames)  # (generators, count, 1, d, d)
    return list(frames @ stacked @ frames.mT)
