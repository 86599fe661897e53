"""Copies: whether filters are transformed copies of each other, and the power of the tests."""

import math
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F

from lgn.answer import Filters
from lgn.discovery.networks.filter_maps import FilterMap
from lgn.discovery.networks.gap import gap_test
from lgn.transforms import symmetry_of_square

#: The significance level, larger than `lgn.stats.LEVEL`: the tests draw about 1,000 random banks, and after the
#: correction for all maps their smallest p-value is about 0.015.
LEVEL = 0.05
#: The gap that copies need, in nats; see Note [The gap] in `gap`.
GAP = 0.25
#: The smallest cosine of two filters that look like copies.
ALIKE = 0.8
#: The number of twisted cosines in one batch, which fit into the cache of a processor.
BATCH = 2**18
#: For the power: the share of filters in pairs of copies, the noise relative to their norm, and the number of twists.
SHARE, NOISE, DRAWS = 0.75, 0.2, 199
#: The smallest number of filters that is tested, and the largest number that is used to estimate the power.
FEWEST, MOST = 4, 128
#: A transformation is called broken only if the power is at least this large.
ENOUGH = 0.8

# Note [The twist]
# In the null model of the first test, every filter f_i becomes `h_i f_i` with a random power h_i of T (I or T if T has
# no order). This only changes the relations between filters: spectra, phases, colours, norms and the likeness of a
# filter to its own images stay. No filter needs to be transformed, because `<T h_i f_i, h_j f_j> = K[1 + h_i - h_j]`.
# Filters with the same spectra and random phases would be no null model: they have no edges, and trained filters always
# have more near-copies.

# Note [Power]
# "No copies" is an answer only if the tests would have found copies. Every filter is flipped or not at random, which
# destroys existing copies. Then three quarters of the filters become pairs of a filter and its flipped, noisy copy. The
# power is the share of such banks in which the tests find the flip.


class CopiesTest(NamedTuple):
    """The results of the two tests of a transformation; both must reject, and the gap must be large."""

    gap: float
    #: The larger p-value; `inspect_layer` corrects it for all maps.
    p_value: float
    detail: Filters

    @property
    def is_found(self) -> bool:
        """Whether filters are copies of each other."""
        return self.p_value <= LEVEL and self.gap >= GAP


def copies_test(filter_map: FilterMap, cosines: Tensor, exponents: Tensor, generator: torch.Generator) -> CopiesTest:
    """Both tests of one transformation.

    Shapes: cosines of `FilterMap.cosines`, (powers, filters, filters); exponents of `twists`, (1 + draws, filters)
    """
    is_sign = filter_map.kind == "sign"
    size = cosines if is_sign else cosines.abs()  # except for the sign, a filter equals its negative
    nearness, alike = twisted(size, exponents, filter_map.order)
    p_twist = float((nearness >= nearness[0] - 1e-6).double().mean())
    p_gap, gap = gap_test(size[1], size[0], filter_map.order == 2, len(exponents) - 1, generator)
    detail = Filters(
        alike=int(alike[0]),
        alike_by_chance=float(alike[1:].double().mean()),
        self_symmetric=0 if is_sign else int((size[1].diagonal() >= ALIKE).sum()),
        p_values=(p_twist, p_gap),
    )
    return CopiesTest(gap, max(p_twist, p_gap), detail)


def twists(order: int, filters: int, draws: int, generator: torch.Generator) -> Tensor:
    """The exponents of `h_i` for every twist; the first row is the bank itself.  -> (1 + draws, filters)"""
    drawn = torch.randint(0, order or 2, (draws, filters), generator=generator)
    return torch.cat([torch.zeros(1, filters, dtype=torch.int64), drawn])


def twisted(cosines: Tensor, exponents: Tensor, order: int) -> tuple[Tensor, Tensor]:
    """Two statistics of the bank under each twist; see Note [The twist].

    The first is the nearness of images to other filters, `mean_i -log(1 - max_{j != i} K_T[i, j])`, averaged over T
    and its inverse. The second is the number of filters whose image has a cosine of at least 0.8.

    Shapes: cosines (powers, filters, filters), absolute values except for the sign; exponents (twists, filters)
    -> (twists,), (twists,)
    """
    filters = cosines.shape[-1]
    # Single precision is enough to compare draws.
    closeness = -torch.log1p(-cosines.clamp(max=1 - 1e-9)).float()
    closeness = closeness.masked_fill(torch.eye(filters, dtype=torch.bool), -torch.inf)
    is_involution = order == 2  # then the cosines are symmetric, and T is its own inverse
    steps = range(1, order) if order else (-1, 1)
    least_alike = -math.log1p(-ALIKE)
    nearness, alike = [], []
    for batch in exponents.to(torch.int8).split(max(1, BATCH // filters**2)):
        differences = batch[:, :, None] - batch[:, None, :]  # (twists, i, j), not reduced modulo the order
        moved = closeness[1].expand(len(batch), -1, -1)
        for step in steps:
            is_step = differences != 0 if is_involution else (differences == step) | (differences == step - order)
            moved = torch.where(is_step, closeness[(1 + step) % (order or 3)], moved)
        forward = moved.amax(2)
        backward = forward if is_involution else moved.amax(1)
        nearness.append((forward.mean(1) + backward.mean(1)) / 2)
        alike.append((forward >= least_alike).sum(1))
    return torch.cat(nearness), torch.cat(alike)


def power_of_test(filters: Tensor, maps: int, generator: torch.Generator, trials: int = 10) -> float:
    """The share of banks with flipped copies in which the flip is found; see Note [Power].

    Shapes: (filters, channels, n, m)
    """
    flip = FilterMap(symmetry_of_square(4), "square")
    if len(filters) < FEWEST:
        return 0.0
    if len(filters) > MOST:
        filters = filters[torch.randperm(len(filters), generator=generator)[:MOST]]
    found = 0
    for _ in range(trials):
        bank = _with_copies(filters, generator)
        test = copies_test(flip, flip.cosines(bank), twists(2, len(bank), DRAWS, generator), generator)
        # Corrected for all maps, but not stricter than this number of draws allows.
        found += test.gap >= GAP and test.p_value <= max(LEVEL / maps, 1 / (1 + DRAWS))
    return found / trials


def _with_copies(filters: Tensor, generator: torch.Generator) -> Tensor:
    """Filters of which three quarters are pairs of a filter and its flipped copy, with noise, in random order."""
    count = len(filters)
    order = torch.randperm(count, generator=generator)
    is_flipped = torch.randint(0, 2, (count, 1, 1, 1), generator=generator).bool()
    bank = torch.where(is_flipped, filters.flip(-1), filters)[order]
    pairs = round(SHARE * count / 2)
    bank = torch.cat([bank[:pairs], bank[:pairs].flip(-1), bank[pairs : count - pairs]])
    noise = torch.randn(bank.shape, generator=generator, dtype=bank.dtype)
    noise = F.normalize((noise - noise.mean((-2, -1), keepdim=True)).flatten(1), dim=1)
    return F.normalize(bank.flatten(1) + NOISE * noise, dim=1).reshape(bank.shape)
