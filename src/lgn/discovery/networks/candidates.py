"""What a bank is asked about, each with its powers: turns, flips, signs, channels, shifts, scalings."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import permutations
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.transforms.warps import scale

Kind = Literal["place", "sign", "channels", "shift", "scaling"]
FACTOR = 1.5  # of scalings: within one octave
MOST_CHANNELS = 4  # permutations of more channels are too many to ask about; see `lgn.discovery.networks.deeper`


@dataclass(frozen=True)
class Candidate:
    """A transformation T of filters, (filters, channels, n, m) -> the same, and its powers."""

    name: str
    kind: Kind
    #: T^k of a bank.
    power: Callable[[Tensor, int], Tensor]
    #: The smallest q with T^q = I; 0 where there is none.
    period: int
    #: The name of the inverse where it is another one of the candidates.
    inverse: str | None = None

    @property
    def signed(self) -> bool:
        """Whether the sign of a filter matters: for all but the negative, a filter and its negative are one."""
        return self.kind == "sign"

    @property
    def swaps(self) -> bool:
        """Whether rows become columns."""
        return self.name in SWAPS

    def cosines(self, filters: Tensor) -> Tensor:
        """`K_k[i, j] = <T^k f_i, f_j>` of unit filters, for the powers that twists can meet.

        Of a T without a period the powers are 0, 1 and 2, and what leaves the kernel is lost; what is left is scaled to
        unit norm.

        Shapes: (filters, channels, n, m) -> (powers, filters, filters)
        """
        flat = filters.flatten(1)
        moved = [F.normalize(self.power(filters, k).flatten(1), dim=1) for k in range(self.period or 3)]
        return torch.stack(moved) @ flat.T


def _turn(quarters: int, x: Tensor, power: int) -> Tensor:
    return x.rot90(quarters * power, (-2, -1))


def _flip(axis: int, x: Tensor, power: int) -> Tensor:
    return x.flip(axis) if power % 2 else x


def _transpose(turns: int, x: Tensor, power: int) -> Tensor:
    return x.mT.rot90(turns, (-2, -1)) if power % 2 else x


def _negate(x: Tensor, power: int) -> Tensor:
    return -x if power % 2 else x


def _permute(order: tuple[int, ...], x: Tensor, power: int) -> Tensor:
    places = torch.arange(len(order))
    for _ in range(power):
        places = places[list(order)]
    return x[:, places]


def _shift(down: int, right: int, x: Tensor, power: int) -> Tensor:
    """Zeros come in, and the mean of each channel is taken away again."""
    down, right = down * power, right * power
    n, m = x.shape[-2:]
    moved = F.pad(x, (right, 0, down, 0))[..., :n, :m]
    return moved - moved.mean((-2, -1), keepdim=True)


def _scale(factor: float, x: Tensor, power: int) -> Tensor:
    scaled = scale(x, factor**power)
    return scaled - scaled.mean((-2, -1), keepdim=True)


#: Turns are counter-clockwise; "flip columns" reverses the order of the columns, left to right, and is `lgn`'s
#: `reflection(patch, "columns")`; "flip rows" is upside down.
SQUARE = (
    Candidate("turn 90", "place", partial(_turn, 1), 4, "turn 270"),
    Candidate("turn 180", "place", partial(_turn, 2), 2),
    Candidate("turn 270", "place", partial(_turn, 3), 4, "turn 90"),
    Candidate("flip columns", "place", partial(_flip, -1), 2),
    Candidate("flip rows", "place", partial(_flip, -2), 2),
    Candidate("transposition", "place", partial(_transpose, 0), 2),
    Candidate("antitransposition", "place", partial(_transpose, 2), 2),
)
SWAPS = ("turn 90", "turn 270", "transposition", "antitransposition")
RECTANGLE = ("turn 180", "flip columns", "flip rows")  # what a kernel that is not square has


def candidates_for(channels: int, patch: tuple[int, int]) -> list[Candidate]:
    """All that a bank of this shape is asked about, those of place first."""
    square = patch[0] == patch[1]
    found = [each for each in SQUARE if square or each.name in RECTANGLE]
    found.append(Candidate("negative", "sign", _negate, 2))
    if 1 < channels <= MOST_CHANNELS:
        found += _channel_permutations(channels)
    found += [
        Candidate("shift down", "shift", partial(_shift, 1, 0), 0),
        Candidate("shift right", "shift", partial(_shift, 0, 1), 0),
    ]
    if min(patch) > 4:  # a smaller kernel has nothing left to enlarge
        found.append(Candidate(f"scaling {FACTOR}", "scaling", partial(_scale, FACTOR), 0))
    return found


def _channel_permutations(channels: int) -> list[Candidate]:
    """All but the identity, named by the channel that comes to each place; of inverse pairs the first."""
    found: dict[tuple[int, ...], Candidate] = {}
    for order in list(permutations(range(channels)))[1:]:
        inverse = tuple(order.index(place) for place in range(channels))
        if inverse not in found:
            name = "channels " + " ".join(map(str, order))
            found[order] = Candidate(name, "channels", partial(_permute, order), _period(order))
    return list(found.values())


def _period(order: tuple[int, ...]) -> int:
    places, count = order, 1
    while places != tuple(range(len(order))):
        places, count = tuple(order[place] for place in places), count + 1
    return count
