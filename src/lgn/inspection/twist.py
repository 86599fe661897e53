"""The twist: each filter transformed by a power of T of its own, which keeps everything but who is whose twin."""

import torch
from torch import Tensor

NUMBERS = 2**22  # of twisted cosines in memory at a time

# Note [What a twist keeps]
# Each filter becomes `h_i f_i`, h_i drawn from the powers of T. Spectra, phases, colours, norms and the places of energy
# stay, and so does every filter's likeness to its own turned self: only which filter meets which, and how, is new. No
# filter needs to be made: `<T h_i f_i, h_j f_j> = K[1 + h_i - h_j]`. Banks with the same spectra and new phases, the
# obvious null, have no edges: every bank of real filters has more near-copies than they, of anything.
# A T without a period (shifts, scalings) is drawn as I or T, which meets the powers 0, 1 and 2.


def twists(period: int, filters: int, draws: int, generator: torch.Generator) -> Tensor:
    """The exponents h of each twist, the bank as it is first.  -> (1 + draws, filters)"""
    drawn = torch.randint(0, period or 2, (draws, filters), generator=generator)
    return torch.cat([torch.zeros(1, filters, dtype=torch.int64), drawn])


def nearness(cosines: Tensor, exponents: Tensor, period: int) -> Tensor:
    """`L_T = mean_i -log(1 - max_{j != i} K_T[i, j])` of the bank under each twist, over T and its inverse.

    Shapes: (powers, filters, filters) >= 0 where signs do not matter, (twists, filters) -> (twists,)
    """
    filters = cosines.shape[-1]
    closeness = -torch.log1p(-cosines.clamp(max=1 - 1e-9))
    closeness = closeness.masked_fill(torch.eye(filters, dtype=torch.bool), -torch.inf).flatten(1)
    pair = torch.arange(filters * filters).view(filters, filters)
    values = []
    for some in exponents.split(max(1, NUMBERS // filters**2)):
        power = 1 + some[:, :, None] - some[:, None, :]  # (twists, i, j)
        met = closeness.flatten()[(power % period if period else power) * filters**2 + pair]
        values.append((met.amax(2).mean(1) + met.amax(1).mean(1)) / 2)
    return torch.cat(values)


def share_as_large(values: Tensor) -> float:
    """The p-value of the first among all."""
    return float((values >= values[0] - 1e-12).double().mean())
