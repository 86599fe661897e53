"""How a group of turns and flips of images acts on kernels: matrices, and the filters for which they are exact."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from lgn.actions import Patch, unvec, vec
from lgn.groups import Group, as_group
from lgn.nn.bank import OrbitBank
from lgn.transforms import parse_operator

# Note [Turns between pixels]
# A turn by 45 degrees moves pixels to places between pixels. But some filters turn exactly: sums of circular harmonics
# on rings, exp(-(|x| - r)^2 / 2 s^2) cos(m phi) and sin(m phi), for which a turn changes the phase only. On a grid they
# are sampled, so harmonics that change too fast along their ring are left out: m <= 2 r and m <= 3. The corners outside
# of the largest ring are 0. The matrix A(turn) = B R B^+ on the span of these filters, and the identity elsewhere, is
# an exact representation, and for quarter turns it is the permutation of pixels. The error that remains comes from the
# sampling of the images; `equivariance_table` measures it.
RING_WIDTH, LAST_RING_WIDTH = 0.6, 0.4
HIGHEST = 3
#: The number of turns of a network for images that keep all turns: more turns cost time and are less exact on pixels.
TURNS = 8


class ImageAction(NamedTuple):
    """The action of a group on square kernels: a matrix per generator, and the filters that bases are made of.

    Shapes: matrices (generators, d, d); span (d, b), orthonormal columns, or None if all filters are allowed.
    """

    group: Group
    matrices: Tensor
    span: Tensor | None


def image_action(
    group: Group | str | int, kernel_size: int, action: Tensor | Sequence[str] | None = None
) -> ImageAction:
    """The action of a group on kernels of a size.

    action: one matrix, or one name from `lgn.transforms` such as "turn 90", per generator of the group. By default the
    generator r turns by `360 / n` degrees and s flips columns, for groups such as "C8" and "D4"; turns
    that are no quarter turns act on circular harmonics, see Note [Turns between pixels].
    """
    group, patch = as_group(group), (kernel_size, kernel_size)
    if isinstance(action, Tensor):
        shape = (len(group.generators), kernel_size**2, kernel_size**2)
        if action.shape != shape:
            raise ValueError(f"action must have shape {shape} for {group.name}, got {tuple(action.shape)}")
        return ImageAction(group, action, None)
    names = operator_names(group, action)
    degrees = 360 / group.element_orders[group.generator_elements[0]]
    if action is not None or group.generators[0] != "r" or degrees % 90 == 0:
        return ImageAction(group, torch.stack([parse_operator(name, patch) for name in names]), None)
    span, turn = _harmonic_turn(kernel_size, math.radians(degrees))
    return ImageAction(group, torch.stack([turn, *(parse_operator(name, patch) for name in names[1:])]), span)


def operator_names(group: Group, action: Sequence[str] | None = None) -> list[str]:
    """The operators of `lgn.transforms` for the generators of a group, by default a turn for r and a flip for s."""
    if action is None:
        if tuple(group.generators) not in (("r",), ("r", "s"), ("s",)):
            raise ValueError(f"action must be given for the group {group.name}, which is not CN or DN")
        turn = f"rotation {360 / group.element_orders[group.generator_elements[0]]:g}"
        return [turn if name == "r" else "reflection columns" for name in group.generators]
    if isinstance(action, str) or len(action) != len(group.generators):
        wanted = f"{', '.join(group.generators)} of {group.name}"
        raise ValueError(f"action must be a list of one name per generator {wanted}, got {action!r}")
    return list(action)


def restrict(bank: OrbitBank, span: Tensor) -> nn.Parameter:
    """Make the basis filters of a bank combinations of given filters, and return their coefficients, which are trained.

    Shapes: span (d, b) -> coefficients (sets, channels, b)
    """
    span = span.to(bank.basis.dtype).to(bank.basis.device)
    parametrize.register_parametrization(bank, "basis", _Combination(span, bank.patch))
    return bank.get_parameter("parametrizations.basis.original")


class _Combination(nn.Module):
    """Coefficients to filters.  (sets, channels, b) -> (sets, channels, n, m)"""

    span: Tensor

    def __init__(self, span: Tensor, patch: Patch) -> None:
        super().__init__()
        self.patch = patch
        self.register_buffer("span", span, persistent=False)

    def forward(self, coefficients: Tensor) -> Tensor:
        return unvec(coefficients @ self.span.mT, self.patch)

    def right_inverse(self, basis: Tensor) -> Tensor:
        return vec(basis) @ self.span


def _harmonic_turn(n: int, angle: float) -> tuple[Tensor, Tensor]:
    """The span of the filters that turn exactly, and the matrix that turns them.  -> (d, b), (d, d)"""
    if n % 2 == 0 or n < 3:
        raise ValueError(f"kernel_size must be odd and at least 3 for turns that are no quarter turns, got {n}")
    middle = n // 2
    place = torch.arange(n, dtype=torch.float64) - middle
    y, x = -place[:, None], place[None, :]  # y points up
    radius, phi = torch.sqrt(x**2 + y**2), torch.atan2(y, x)
    columns, blocks = [], []
    for ring in range(middle + 1):
        width = LAST_RING_WIDTH if ring == middle and n > 3 else RING_WIDTH
        profile = torch.exp(-((radius - ring) ** 2) / (2 * width**2)) * (radius <= max(middle, 1.5) + 0.5)
        for m in range(min(2 * ring, HIGHEST) + 1):
            ring_profile = profile * (radius > 0) if m else profile  # the centre has no direction
            pair = torch.stack([ring_profile * torch.cos(m * phi), ring_profile * torch.sin(m * phi)][: 2 if m else 1])
            columns += list(vec(pair / pair.norm() * len(pair) ** 0.5))
            cosine, sine = math.cos(m * angle), math.sin(m * angle)
            # The turned filter has at phi the value of the filter at phi - angle.
            blocks.append(torch.tensor([[cosine, -sine], [sine, cosine]] if m else [[1.0]], dtype=torch.float64))
    atoms, turn = torch.stack(columns, 1), torch.block_diag(*blocks)
    span, _ = torch.linalg.qr(atoms)
    inside = atoms @ turn @ torch.linalg.pinv(atoms)
    return span, inside + torch.eye(n * n, dtype=torch.float64) - span @ span.mT
