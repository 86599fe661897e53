"""`Representation`: one matrix for each generator of a finite group, so that every relation holds for ever."""

import math
import warnings
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor, nn

from lgn.actions import Patch
from lgn.generators.base import Generator, require_invertible
from lgn.generators.decomposition import decompose
from lgn.generators.orthogonal import OrthogonalWeight
from lgn.generators.starts import start_matrices
from lgn.groups import Group, relation_error
from lgn.warning import LgnWarning

# Note [Conditioning of S]
# A = S R S^-1 satisfies every relation that R does, for any invertible S, but in floating point only as well as S is
# conditioned. Left free, S drifts towards singular matrices in training. It is therefore written in polar form,
# S = P Q, with Q orthogonal and P = I + radius * 2 H (I + H^2)^-1 for a free symmetric H: the fraction maps the
# spectrum of H into [-1, 1], so P's lies in [1 - radius, 1 + radius]. Every S of bounded condition is reached, up to a
# scale that A does not see. Radius 0.6 bounds the condition by 4; a start that needs more gets what it needs.
DEFAULT_RADIUS = 0.6


class Representation(Generator):
    """`A_a = S R_a S^-1` for each generator a of a finite group: a true representation of it (sec. 3).

    R is made of real irreducible representations of the group, for a cyclic one 2x2 rotations and signs. How many of
    each is fixed at the start, by the traces of the words in the starting matrices, rounded; a random start has each
    about as often as the regular representation. S is learned. A start that is a representation already is kept
    exactly; for any other, S is turned to it as far as alternating projections go, and where products blow up, from
    the polar factors of the starting matrices. See Note [Conditioning of S].

    With `stretched=False` P stays as it starts, the identity for an orthogonal start: A stays orthogonal.
    """

    name = "representation"
    law = "A_a = S R_a S^-1"
    penalty: ClassVar[Literal["inverse", "none"]] = "none"  # it is invertible by law
    option_names: ClassVar[tuple[str, ...]] = ("stretched",)
    stretch: Tensor
    radius: Tensor
    blocks: Tensor

    def __init__(self, start: Tensor, patch: Patch, group: Group | int = 4, *, stretched: bool = True) -> None:
        self.stretched = stretched
        super().__init__(start, patch, group)

    def _start_from(self, start: Tensor) -> None:
        require_invertible(start, type(self).__name__)
        count = len(self.group.generators)
        self.several = count  # a plain value: compilers read it
        several = start.unflatten(0, (count, -1)).double().cpu()  # (generators, leading, channels, d, d)
        parts = [decompose(each.numpy(), self.group) for each in several.flatten(1, 2).transpose(0, 1)]
        p, q, r = (torch.as_tensor(np.stack(part)).to(start) for part in zip(*parts, strict=True))
        shape = several.shape[1:]
        p, q = p.reshape(shape), q.reshape(shape)
        r = r.transpose(0, 1).reshape(start.shape)  # generators first, as in the start
        eye = torch.eye(start.shape[-1]).to(start)
        if torch.allclose(r, eye.expand_as(r)):
            self._warn_of_the_identity()
        self.turns = OrthogonalWeight(q)
        eigenvalues, vectors = torch.linalg.eigh(p)
        low, high = eigenvalues[..., :1], eigenvalues[..., -1:]
        offset = 2 * eigenvalues / (low + high) - 1  # the scale of P is free: its spectrum is centred on 1
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
        # In float64 throughout: the law is as exact as the type of the result allows.
        h = (self.stretch + self.stretch.mT).double() / 2
        eye = torch.eye(h.shape[-1], dtype=h.dtype, device=h.device)
        p = eye + self.radius.double() * torch.linalg.solve(eye + h @ h, 2 * h)
        s = p @ self.turns().double()
        blocks = self.blocks.double().unflatten(0, (-1, len(s)))  # (generators, leading, channels, d, d)
        product = torch.linalg.solve(s, s @ blocks, left=False)
        return product.flatten(0, 1).to(self.stretch.dtype)

    @torch.no_grad()
    def law_error(self) -> Tensor:
        """The largest error of a relation, the same for each generator of a set."""
        matrices = self.matrix().unflatten(0, (len(self.group.generators), -1))
        return relation_error(self.group, matrices).repeat(len(matrices), 1)

    def rebase_(self) -> None:
        self.turns.rebase_()

    def determined(self, bases: int) -> int:
        # Every generator maps every element of a set to one of the set.
        return min(bases * self.order, math.prod(self.patch))

    @torch.no_grad()
    def fresh(self, count: int, place: int = 0) -> Tensor | None:
        """The same; of a group with several generators, in random frames with the blocks that there are.

        Thousands are asked for, and turning as many frames to random matrices would take an hour.
        """
        if self.started_from is None or len(self.group.generators) == 1:
            return super().fresh(count, place)
        blocks = self.blocks.unflatten(0, (len(self.group.generators), -1))[place].flatten(0, 1).cpu()
        q = start_matrices("orthogonal", (count, 1), blocks.shape[-1], dtype=blocks.dtype)[:, 0]
        return q @ blocks[torch.arange(count) % len(blocks)] @ q.mT

    def _warn_of_the_identity(self) -> None:
        one = len(self.group.generators) == 1
        what = f"eigenvalue of start rounds to 1 at order {self.order}" if one else "word in start rounds to I"
        whose = "a matrix of that order" if one else f"matrices of {self.group.name}"
        warnings.warn(
            f"every {what}, so {type(self).__name__} is the identity for ever; start from 'orthogonal' or from {whose}",
            LgnWarning,
            stacklevel=5,
        )

    def extra_repr(self) -> str:
        return super().extra_repr() + f", {self.group.name}: {', '.join(self.group.relations)}"
