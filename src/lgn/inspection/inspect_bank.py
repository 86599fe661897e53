"""`inspect_bank`: everything that is asked of one bank of filters."""

import torch
from torch import Tensor

from lgn.inspection.balance import References, balance, references, verdict
from lgn.inspection.bank import Bank, prepare
from lgn.inspection.candidates import Candidate, candidates_for
from lgn.inspection.fitted import fit_map
from lgn.inspection.orbits import Orbit, count_inside, find_orbits, place_cosines, turned_apart
from lgn.inspection.power import FEWEST, power
from lgn.inspection.result import BankInspection, FittedMap, Row
from lgn.inspection.square import ELEMENTS, TRIVIAL, FoundGroup, generators_of, largest_subgroup, powers_of, product
from lgn.inspection.twins import GAP, LEVEL, TwinTest, holm, twin_test
from lgn.inspection.twist import ALIKE, twists

DRAWS, FEWER_DRAWS = 999, 299  # the fewer for banks of more than MANY filters, whose twists take their time
MANY = 160
REFERENCES = 199
CHANCES = 20  # twisted banks whose orbits are counted


def inspect_bank(weights: Tensor, name: str = "bank", *, seed: int = 0, draws: int | None = None) -> BankInspection:
    """Which transformations the filters of a bank are copies of each other under, and which they are balanced under.

    Every null is drawn from `seed`; `draws` of each twist, 999 unless given (299 of a bank of more than 160 filters).

    Shapes: (filters, channels, n, m), kernels of at least 3x3.
    """
    bank = prepare(weights)
    generator = torch.Generator().manual_seed(seed)
    draws = draws or (DRAWS if len(bank.filters) <= MANY else FEWER_DRAWS)
    cosines = place_cosines(bank.filters)
    rows = _rows(bank, cosines, draws, generator) if len(bank.filters) >= FEWEST else []
    group = _twin_group(rows)
    found = find_orbits(cosines, group)
    everything = _available(rows)
    return BankInspection(
        name=name,
        shape=tuple(weights.shape),
        filters=len(bank.filters),
        dead=bank.dead,
        flat=bank.flat,
        off_centre=bank.off_centre,
        window=bank.window,
        rows=tuple(rows),
        group=group,
        balanced_group=largest_subgroup([row.name for row in rows if row.balance == "balanced"]),
        orbit_details=tuple(_numbered(orbit, bank) for orbit in found),
        in_orbits_by_chance=_by_chance(cosines, group, everything, generator),
        lookalikes=(
            count_inside(find_orbits(cosines, everything, stands_out=0.0)) if len(bank.filters) <= MANY else None
        ),
        power=power(bank.filters, _hypotheses(bank), generator),
        maps=tuple(_maps(bank, cosines, group, found, seed)),
        seed=seed,
    )


def _candidates(bank: Bank) -> list[Candidate]:
    return candidates_for(bank.filters.shape[1], (bank.filters.shape[2], bank.filters.shape[3]))


def _hypotheses(bank: Bank) -> int:
    """A transformation and its inverse are one question."""
    return len({min(each.name, each.inverse or each.name) for each in _candidates(bank)})


def _rows(bank: Bank, place: Tensor, draws: int, generator: torch.Generator) -> list[Row]:
    """Both tests of every candidate, corrected together, and the balance of those that move places."""
    compared = references(bank.filters, REFERENCES, generator)
    asked = {}
    for each in _candidates(bank):
        if each.inverse in asked:  # the same question
            asked[each.name] = asked[each.inverse]
        else:
            asked[each.name] = _Asked(each, bank, place, draws, compared, generator)
    questions = list({id(one): one for one in asked.values()}.values())
    for one, p in zip(questions, holm([one.twins.p_value for one in questions]), strict=True):
        one.p_value = p
    places = [one for one in questions if one.balance is not None]
    for which in (3, 4):  # p_balanced and p_broken
        for one, p in zip(places, holm([one.balance[which] for one in places if one.balance]), strict=True):
            one.p_balance[which] = p
    return [one.row(name) for name, one in asked.items()]


class _Asked:
    """One question: the tests of a candidate, before and after the correction."""

    def __init__(
        self,
        candidate: Candidate,
        bank: Bank,
        place: Tensor,
        draws: int,
        compared: References,
        generator: torch.Generator,
    ) -> None:
        cosines = place[powers_of(candidate.name)] if candidate.kind == "place" else candidate.cosines(bank.filters)
        exponents = twists(candidate.period, len(bank.filters), draws, generator)
        self.kind = candidate.kind
        self.twins: TwinTest = twin_test(candidate, cosines, exponents, generator)
        self.self_symmetric = 0 if candidate.signed else int((cosines[1].diagonal().abs() >= ALIKE).sum())
        self.balance = (
            balance(cosines, exponents, candidate.period, compared, candidate.swaps)
            if candidate.kind == "place"
            else None
        )
        self.p_value = 1.0
        self.p_balance: dict[int, float] = {}

    def row(self, name: str) -> Row:
        twins, found = self.twins, self.balance
        return Row(
            name=name,
            kind=self.kind,
            twins=self.p_value <= LEVEL and twins.is_large,
            p_value=self.p_value,
            p_twist=twins.p_twist,
            p_gap=twins.p_gap,
            gap=twins.gap,
            alike=twins.alike,
            alike_by_chance=twins.alike_by_chance,
            self_symmetric=self.self_symmetric,
            balance=verdict(found, self.p_balance[3], self.p_balance[4], LEVEL) if found else None,
            rho=found.rho if found else None,
            smooth_reference=found.smooth_reference if found else None,
            ring_reference=found.ring_reference if found else None,
            p_balanced=self.p_balance[3] if found else None,
            p_broken=self.p_balance[4] if found else None,
        )


def _twin_group(rows: list[Row]) -> FoundGroup:
    """Generated by what was found; what only follows must be likely by itself (p <= 0.05, half the gap)."""
    places = [row for row in rows if row.kind == "place"]
    likely = [row.name for row in places if max(row.p_twist, row.p_gap) <= LEVEL and row.gap >= GAP / 2]
    return largest_subgroup([row.name for row in places if row.twins], likely, {row.name: row.gap for row in places})


def _available(rows: list[Row]) -> FoundGroup:
    """All transformations that the kernel has."""
    names = [row.name for row in rows if row.kind == "place"]
    return largest_subgroup(names) if names else TRIVIAL


def _numbered(orbit: Orbit, bank: Bank) -> Orbit:
    """With the numbers that the filters have in the network."""
    return Orbit(
        tuple(int(bank.numbers[place]) for place in orbit.filters), orbit.elements, orbit.negative, orbit.cosine
    )


def _maps(bank: Bank, cosines: Tensor, group: FoundGroup, found: list[Orbit], seed: int) -> list[FittedMap]:
    """The map of the pairs of each generator of the group."""
    maps = []
    for name in generators_of(group):
        pairs = [
            (i, j)
            for orbit in found
            for i, a in zip(orbit.filters, orbit.elements, strict=True)
            for j, b in zip(orbit.filters, orbit.elements, strict=True)
            if b == product(name, a)
        ]
        fitted = fit_map(bank.filters, cosines[ELEMENTS.index(name)], pairs, name, seed)
        maps += [fitted] if fitted is not None else []
    return maps


def _by_chance(
    cosines: Tensor, group: FoundGroup, everything: FoundGroup, generator: torch.Generator
) -> float | None:
    """How many filters are in orbits of a group where each is turned and flipped by itself.

    That takes a filter out of the orbit of its twin only where the group is not the whole one: None for that, and where
    no group was found.
    """
    if group.order in (1, everything.order):
        return None
    apart = (turned_apart(cosines, everything, generator) for _ in range(CHANCES))
    return sum(count_inside(find_orbits(each, group)) for each in apart) / CHANCES
