"""Power: whether this bank could show twins if it had them."""

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.discovery.networks.candidates import SQUARE, Candidate
from lgn.discovery.networks.twins import LEVEL, twin_test
from lgn.discovery.networks.twist import twists

SHARE = 0.75  # of filters that are planted in pairs
NOISE = 0.2  # of their norm
DRAWS = 199
FEWEST = 4  # filters: below, there is nobody to be a twin of
MOST = 128  # filters that are tried: more can only have more
ENOUGH = 0.8  # of trials: what is found less often cannot be missed with confidence

# Note [Power by planting]
# "No twins" is an answer only where twins would have been seen. The same filters, each turned by itself so that twins
# which are there are lost, get flipped copies for three quarters of them, with a fifth of noise, and the same two tests
# and the same correction are asked. How often they find the flip is the power of this bank.


def power(filters: Tensor, hypotheses: int, generator: torch.Generator, trials: int = 10) -> float:
    """The share of planted banks whose flip is found; see Note [Power by planting].  (filters, channels, n, m)"""
    flip = next(each for each in SQUARE if each.name == "flip columns")
    if len(filters) < FEWEST:
        return 0.0
    if len(filters) > MOST:
        filters = filters[torch.randperm(len(filters), generator=generator)[:MOST]]
    found = 0
    for _ in range(trials):
        bank = planted(filters, flip, generator)
        exponents = twists(flip.period, len(bank), DRAWS, generator)
        test = twin_test(flip, flip.cosines(bank), exponents, generator)
        # As many hypotheses as in the inspection, but no stricter than these few draws can be.
        found += test.is_large and test.p_value <= max(LEVEL / hypotheses, 1 / (1 + DRAWS))
    return found / trials


def planted(filters: Tensor, candidate: Candidate, generator: torch.Generator) -> Tensor:
    """A bank of which three quarters are pairs `f, T f + noise`, in random order."""
    count = len(filters)
    order = torch.randperm(count, generator=generator)
    twists_of_own = torch.randint(0, candidate.period, (count,), generator=generator)
    bank = torch.where(twists_of_own.view(-1, 1, 1, 1).bool(), candidate.power(filters, 1), filters)[order]
    pairs = round(SHARE * count / 2)
    bank = torch.cat([bank[:pairs], candidate.power(bank[:pairs], 1), bank[pairs : count - pairs]])
    noise = torch.randn(bank.shape, generator=generator, dtype=bank.dtype)
    noise = noise - noise.mean((-2, -1), keepdim=True)
    noisy = bank.flatten(1) + NOISE * F.normalize(noise.flatten(1), dim=1)
    return F.normalize(noisy, dim=1).reshape(bank.shape)
