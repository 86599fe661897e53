"""`inspect_layer`: all tests of the filters of one layer."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from lgn.answer import Evidence, Filters, Row, Verdict
from lgn.discovery.networks.balance import Balance, measure_balance, references
from lgn.discovery.networks.copies import ENOUGH, FEWEST, GAP, LEVEL, CopiesTest, copies_test, power_of_test, twists
from lgn.discovery.networks.filter_bank import FilterBank, make_bank
from lgn.discovery.networks.filter_maps import SQUARE_GROUP, FilterMap, exchanges_axes, maps_for
from lgn.discovery.networks.orbits import (
    FilterOrbit,
    find_orbits,
    fit_map,
    largest_subgroup,
    moved_independently,
    pairs_of,
    square_cosines,
)
from lgn.groups import Subgroup
from lgn.stats import holm
from lgn.transforms import SQUARE

#: The number of twists, and the smaller number for banks of more than MANY filters.
DRAWS, FEWER_DRAWS, MANY = 999, 299, 160
#: The smallest number of twists per map: the smallest p-value must be significant after the correction.
DRAWS_PER_MAP = 25
#: The number of random operators that balance is compared with.
REFERENCES = 199
#: The smallest number of pairs to which a linear map is fitted.
FEWEST_PAIRS = 3
#: The number of banks with independently transformed filters whose orbits are counted.
CHANCES = 20


@dataclass(frozen=True, eq=False)
class LayerInspection:
    """All results about the filters of one layer."""

    layer: str
    shape: tuple[int, ...]
    bank: FilterBank
    #: One row per transformation; none for too few filters.
    rows: tuple[Row, ...]
    #: The subgroups of the group of the square under which filters are copies, and under which they are balanced.
    group: Subgroup
    balanced: Subgroup
    orbits: list[FilterOrbit]
    #: The number of filters in orbits if filters are transformed independently; None if that preserves orbits.
    inside_by_chance: float | None
    #: The number of filters in apparent orbits of turns and flips, with a cosine of 0.8; None for many filters.
    lookalikes: int | None
    #: The probability that flipped copies of three quarters of the filters would be found.
    power: float
    #: The result of `fit_map` for the pairs of every generator of the group.
    maps: dict[str, tuple[float, float]]

    @property
    def inside(self) -> int:
        """The number of filters in orbits."""
        return _count(self.orbits)


def inspect_layer(weights: Tensor, layer: str = "", *, seed: int = 0) -> LayerInspection:
    """The transformations under which the filters of a convolution are copies of each other, or balanced.

    Shapes: (filters, channels, n, m), kernels of at least 3x3
    """
    bank = make_bank(weights)
    generator = torch.Generator().manual_seed(seed)
    count, channels = bank.filters.shape[:2]
    maps = maps_for(channels, bank.patch) if count >= FEWEST else []
    cosines = square_cosines(bank.filters)
    tests, balances = _tests(maps, bank.filters, generator)
    group = _group_of_copies({filter_map.element: tests[filter_map] for filter_map in balances})
    orbits, everything = find_orbits(cosines, group), SQUARE_GROUP.subgroup([known.element for known in balances])
    by_chance = None
    if 1 < group.order < everything.order:  # the whole group preserves orbits
        moved = (moved_independently(cosines, everything, generator) for _ in range(CHANCES))
        by_chance = sum(_count(find_orbits(other, group)) for other in moved) / CHANCES
    lookalikes = _count(find_orbits(cosines, everything, stands_out=0.0)) if count <= MANY else None
    power = power_of_test(bank.filters, sum(not filter_map.is_inverse for filter_map in maps), generator)
    words = dict(zip(group.elements, group.group().words, strict=True))
    rows = []
    for filter_map, test in tests.items():
        element = filter_map.element if filter_map in balances and filter_map.element in words else None
        copies = _copies(test, bank, cosines, pairs_of(orbits, element) if element else [], power, element)
        evidence = (copies, _balance(balances[filter_map])) if filter_map in balances else (copies,)
        word = None if element is None else words[element]
        verdict = "kept" if element else copies.verdict or "undecided"
        rows.append(Row(filter_map.transformation, verdict, evidence, word, layer=layer))
    generators = [group.elements[element] for element in group.group().generator_elements]
    pairs = {g: found for g in generators if len(found := pairs_of(orbits, g)) >= FEWEST_PAIRS}
    return LayerInspection(
        layer=layer,
        shape=tuple(weights.shape),
        bank=bank,
        rows=tuple(rows),
        group=group,
        balanced=largest_subgroup([known.element for known, found in balances.items() if found.verdict == "kept"]),
        orbits=orbits,
        inside_by_chance=by_chance,
        lookalikes=lookalikes,
        power=power,
        maps={SQUARE[g]: fit_map(bank, cosines[g], found, g, seed) for g, found in pairs.items()},
    )


def _tests(
    maps: Sequence[FilterMap], filters: Tensor, generator: torch.Generator
) -> tuple[dict[FilterMap, CopiesTest], dict[FilterMap, Balance]]:
    """The tests of copies, and of balance for symmetries of the square; p-values are corrected for all maps."""
    tested = [filter_map for filter_map in maps if not filter_map.is_inverse]
    if not tested:
        return {}, {}
    draws = max(FEWER_DRAWS if len(filters) > MANY else DRAWS, DRAWS_PER_MAP * len(tested))
    signs, exchanges, rings = references(filters, REFERENCES, generator)
    tests, balances = dict[FilterMap, CopiesTest](), dict[FilterMap, Balance]()
    for filter_map in tested:
        cosines = filter_map.cosines(filters)
        exponents = twists(filter_map.order, len(filters), draws, generator)
        tests[filter_map] = copies_test(filter_map, cosines, exponents, generator)
        if filter_map.kind == "square":
            smooth = exchanges if exchanges_axes(filter_map.element) else signs
            balances[filter_map] = measure_balance(cosines, exponents, filter_map.order, smooth, rings)
    for filter_map, p_value in zip(tests, holm([test.p_value for test in tests.values()]), strict=True):
        tests[filter_map] = tests[filter_map]._replace(p_value=p_value)
    p_kept, p_broken = (holm([getattr(found, name) for found in balances.values()]) for name in ("p_kept", "p_broken"))
    for filter_map, kept, broken in zip(balances, p_kept, p_broken, strict=True):
        balances[filter_map] = balances[filter_map]._replace(p_kept=kept, p_broken=broken)
    known = {filter_map: tested[0] if filter_map.is_inverse else filter_map for filter_map in maps}
    return (
        {filter_map: tests[source] for filter_map, source in known.items()},
        {filter_map: balances[source] for filter_map, source in known.items() if source in balances},
    )


def _group_of_copies(tests: dict[int, CopiesTest]) -> Subgroup:
    """The group that found elements generate; other elements need p <= 0.05 without correction, and half the gap."""
    found = [element for element, test in tests.items() if test.is_found]
    likely = [element for element, test in tests.items() if max(test.detail.p_values) <= LEVEL and test.gap >= GAP / 2]
    return largest_subgroup(found, likely, {element: test.gap for element, test in tests.items()})


def _copies(
    test: CopiesTest, bank: FilterBank, square: Tensor, pairs: list[tuple[int, int]], power: float, element: int | None
) -> Evidence:
    cosines = [float(square[element, i, j].abs()) for i, j in pairs]
    numbered = tuple((int(bank.numbers[i]), int(bank.numbers[j])) for i, j in pairs)
    detail = replace(test.detail, pairs=numbered, similarity=sum(cosines) / len(cosines) if cosines else None)
    not_found: Verdict = "broken" if power >= ENOUGH and element is None else "undecided"
    verdict = "kept" if test.is_found else not_found
    return Evidence("copies", test.gap, p_value=test.p_value, verdict=verdict, detail=detail)


def _balance(found: Balance) -> Evidence:
    p_value = found.p_broken if found.verdict == "broken" else found.p_kept
    detail = Filters(references=(found.smooth_reference, found.ring_reference))
    return Evidence("balance", found.rho, p_value=p_value, verdict=found.verdict, detail=detail)


def _count(orbits: Collection[FilterOrbit]) -> int:
    return sum(map(len, orbits))
