"""`inspect_bank`: everything that is asked of one bank of filters."""

from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor

from lgn.discovery.networks.balance import Balance, References, balance, references, verdict
from lgn.discovery.networks.bank import Bank, prepare
from lgn.discovery.networks.candidates import Candidate, candidates_for
from lgn.discovery.networks.fitted import fit_map
from lgn.discovery.networks.orbits import Orbit, count_inside, find_orbits, place_cosines, turned_apart
from lgn.discovery.networks.power import FEWEST, power
from lgn.discovery.networks.result import BankInspection, FittedMap, Row
from lgn.discovery.networks.square import (
    ELEMENTS,
    TRIVIAL,
    FoundGroup,
    generators_of,
    largest_subgroup,
    powers_of,
    product,
)
from lgn.discovery.networks.twins import GAP, LEVEL, TwinTest, twin_test
from lgn.discovery.networks.twist import ALIKE, twists
from lgn.stats import holm

DRAWS, FEWER_DRAWS = 999, 299  # the fewer for banks of more than MANY filters, whose twists take their time
MANY = 160
DRAWS_A_QUESTION = 25  # at least, so that the smallest p-value is significant after the correction for all questions
REFERENCES = 199
CHANCES = 20  # twisted banks whose orbits are counted


def inspect_bank(weights: Tensor, name: str = "bank", *, seed: int = 0, draws: int | None = None) -> BankInspection:
    """Which transformations the filters of a bank are copies of each other under, and which they are balanced under.

    Every null is drawn from `seed`; `draws` of each twist, 999 unless given (299 of a bank of more than 160 filters).

    Shapes: (filters, channels, n, m), kernels of at least 3x3.
    """
    bank = prepare(weights)
    generator = torch.Generator().manual_seed(seed)
    few = FEWER_DRAWS if len(bank.filters) > MANY else DRAWS
    draws = draws or max(few, DRAWS_A_QUESTION * len(_questions(bank)))
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
        power=power(bank.filters, len(_questions(bank)), generator),
        maps=tuple(_maps(bank, cosines, group, found, seed)),
        seed=seed,
    )


class _Answer(NamedTuple):
    """What a bank says about one candidate, before the correction for all of them."""

    candidate: Candidate
    twins: TwinTest
    self_symmetric: int
    balance: Balance | None


def _candidates(bank: Bank) -> list[Candidate]:
    return candidates_for(bank.filters.shape[1], (bank.filters.shape[2], bank.filters.shape[3]))


def _questions(bank: Bank) -> list[Candidate]:
    """The candidates to ask about: a transformation and its inverse are one question."""
    asked: list[Candidate] = []
    for each in _candidates(bank):
        if each.inverse not in [other.name for other in asked]:
            asked.append(each)
    return asked


def _rows(bank: Bank, place: Tensor, draws: int, generator: torch.Generator) -> list[Row]:
    """Both tests of every candidate, corrected together, and the balance of those that move places."""
    compared = references(bank.filters, REFERENCES, generator)
    answers = [_ask(each, bank, place, draws, compared, generator) for each in _questions(bank)]
    p_twins = holm([each.twins.p_value for each in answers])
    found = [each.balance for each in answers if each.balance is not None]  # those of place come first
    p_balanced, p_broken = holm([each.p_balanced for each in found]), holm([each.p_broken for each in found])
    rows = {}
    for number, each in enumerate(answers):
        row = _row(each, p_twins[number])
        if each.balance is not None:
            row = _with_balance(row, each.balance, p_balanced[number], p_broken[number])
        rows[row.name] = row
        if each.candidate.inverse is not None:
            rows[each.candidate.inverse] = replace(row, name=each.candidate.inverse)
    return [rows[each.name] for each in _candidates(bank)]


def _ask(
    candidate: Candidate, bank: Bank, place: Tensor, draws: int, compared: References, generator: torch.Generator
) -> _Answer:
    moves_places = candidate.kind == "place"
    cosines = place[powers_of(candidate.name)] if moves_places else candidate.cosines(bank.filters)
    exponents = twists(candidate.period, len(bank.filters), draws, generator)
    return _Answer(
        candidate,
        twin_test(candidate, cosines, exponents, generator),
        0 if candidate.signed else int((cosines[1].diagonal().abs() >= ALIKE).sum()),
        balance(cosines, exponents, candidate.period, compared, candidate.swaps) if moves_places else None,
    )


def _row(answer: _Answer, p_value: float) -> Row:
    twins = answer.twins
    return Row(
        name=answer.candidate.name,
        kind=answer.candidate.kind,
        twins=p_value <= LEVEL and twins.is_large,
        p_value=p_value,
        p_twist=twins.p_twist,
        p_gap=twins.p_gap,
        gap=twins.gap,
        alike=twins.alike,
        alike_by_chance=twins.alike_by_chance,
        self_symmetric=answer.self_symmetric,
    )


def _with_balance(row: Row, found: Balance, p_balanced: float, p_broken: float) -> Row:
    return replace(
        row,
        balance=verdict(found, p_balanced, p_broken, LEVEL),
        rho=found.rho,
        smooth_reference=found.smooth_reference,
        ring_reference=found.ring_reference,
        p_balanced=p_balanced,
        p_broken=p_broken,
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


def _by_chance(cosines: Tensor, group: FoundGroup, everything: FoundGroup, generator: torch.Generator) -> float | None:
    """How many filters are in orbits of a group where each is turned and flipped by itself.

    That takes a filter out of the orbit of its twin only where the group is not the whole one: None for that, and where
    no group was found.
    """
    if group.order in (1, everything.order):
        return None
    apart = (turned_apart(cosines, everything, generator) for _ in range(CHANCES))
    return sum(count_inside(find_orbits(each, group)) for each in apart) / CHANCES
