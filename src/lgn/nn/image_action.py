"""How a group of turns and flips of images acts on kernels: matrices, and the filters on which they are exact."""

import math
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn
from torch.nn.utils import parametrize

from lgn.actions import Patch, unvec, vec
from lgn.groups import Group, as_group, from_matrices
from lgn.nn.bank import OrbitBank
from lgn.transforms import operator

# Note [Turns between pixels]
# A turn by 45 degrees moves pixels to places between pixels. Filters that are sums of circular harmonics on rings,
# exp(-(|x| - r)^2 / 2 s^2) cos(m phi) and sin(m phi), turn exactly all the same: by a phase. On a grid they are
# sampled, and a harmonic that changes faster along its ring than pixels follow is left out: m <= 2 r and m <= 3.
# Corners outside the largest ring are 0, for no turn brings anything there. So A(turn) = B R B^+ on the span of these
# filters and the identity elsewhere: a true representation, and by quarter turns the permutation of pixels itself.
# What is left is that images are sampled: the error of a network is measured by `invariance_error`.
RING_WIDTH, LAST_RING_WIDTH = 0.6, 0.4
HIGHEST = 3
#: Groups of turns and flips that pixels follow exactly, the larger first.
EXACT = ("D4", "C4", "D2", "C2", "D1")
#: How many turns a network has where images keep every one: more cost time, and pixels follow them less.
TURNS = 8


class ImageAction(NamedTuple):
    """A group on square kernels: a matrix for each of its generators, and the filters that bases are made of.

    Shapes: matrices (generators, d, d); span (d, b), orthonormal columns, or None where all filters are allowed.
    """

    group: Group
    matrices: Tensor
    span: Tensor | None


class Found(Protocol):
    """What is needed of `lgn.Symmetries`."""

    @property
    def group(self) -> Group: ...
    @property
    def continuous(self) -> bool: ...
    def generators(self, kernel_size: int) -> Tensor: ...


def image_action(group: Group | str | int, kernel_size: int) -> ImageAction:
    """Turns by `360 / n` degrees, the generator r, and the flip of columns, s: "C8", "D4", "D1".

    Exact where turns are by quarters; else on circular harmonics, see Note [Turns between pixels].
    """
    group = as_group(group)
    if tuple(group.generators) not in (("r",), ("r", "s"), ("s",)):
        raise ValueError(f"group must be CN or DN, turns and the flip of columns, got {group.name}")
    patch = (kernel_size, kernel_size)
    turns = group["r"].order if "r" in group.generators else 1
    span = None
    matrices = []
    if turns in (2, 4):
        matrices.append(operator("rotation", patch, degrees=360 / turns))
    elif turns > 1:
        span, turn = _harmonic_turn(kernel_size, 2 * math.pi / turns)
        matrices.append(turn)
    if "s" in group.generators:
        matrices.append(operator("reflection", patch, axis="columns"))
    return ImageAction(group, torch.stack(matrices), span)


def found_action(found: Found, kernel_size: int) -> ImageAction | None:
    """The turns and flips that images keep, as `lgn.symmetries` found them; None where they keep none.

    What is one of the groups by name is that group, so that found and given are the same network. Where every turn is
    kept, a network has eighths of a turn.
    """
    matrices = found.generators(kernel_size)
    if matrices.shape[-1] != kernel_size**2:
        raise ValueError(f"found must be what images keep, got generators on {matrices.shape[-1]} pixels")
    name = found_name(found)
    if name is not None:
        return image_action(name, kernel_size)
    return ImageAction(from_matrices(matrices), matrices, None) if len(matrices) else None


def found_name(found: Found) -> str | None:
    """The name of the turns and flips that images keep; None where they keep none, or some without a name."""
    if found.continuous:
        return f"{'D' if 's' in found.group.generators else 'C'}{TURNS}"
    matrices = found.generators(3)
    if not len(matrices):
        return None
    kept = _permutations(from_matrices(matrices), matrices)
    return next((name for name in EXACT if _permutations(*image_action(name, 3)[:2]) == kept), None)


def restrict(bank: OrbitBank, span: Tensor) -> nn.Parameter:
    """Let the bases of a bank be combinations of given filters, and store the coefficients instead, which are returned.

    Shapes: span (d, b) -> coefficients (sets, channels, b)
    """
    parametrize.register_parametrization(bank, "basis", _Combination(span.to(bank.basis), bank.generator.patch))
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


def _permutations(group: Group, matrices: Tensor) -> set[tuple[int, ...]]:
    """The elements of a group of permutations of pixels, each as what goes where."""
    return {tuple(each.argmax(0).tolist()) for each in group.representation(matrices)}


def _harmonic_turn(n: int, angle: float) -> tuple[Tensor, Tensor]:
    """Filters that turn exactly, and the matrix that turns them.  -> (d, b), (d, d)"""
    if n % 2 == 0 or n < 3:
        raise ValueError(f"kernel_size must be odd and at least 3 for turns that are no quarters, got {n}")
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
            # A filter turned by an angle has at phi what it had at phi - angle.
            blocks.append(torch.tensor([[cosine, -sine], [sine, cosine]] if m else [[1.0]], dtype=torch.float64))
    atoms, turn = torch.stack(columns, 1), torch.block_diag(*blocks)
    span, _ = torch.linalg.qr(atoms)
    inside = atoms @ turn @ torch.linalg.pinv(atoms)
    return span, inside + torch.eye(n * n, dtype=torch.float64) - span @ span.mT
