"""`inspect_layer`: all questions about the filters of one layer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor

from lgn.answer import Evidence, Filters, Row, Verdict
from lgn.discovery.networks.balance import Balance, balance, references, verdict
from lgn.discovery.networks.copies import (
    ALIKE,
    ENOUGH,
    FEWEST,
    GAP,
    LEVEL,
    CopiesTest,
    copies_test,
    power_of_test,
    twists,
)
from lgn.discovery.networks.filter_bank import FilterBank, prepare
from lgn.discovery.networks.fitted import fitted_map_note
from lgn.discovery.networks.orbits import (
    FilterOrbit,
    count_inside,
    find_orbits,
    largest_subgroup,
    moved_independently,
    pairs_of,
    powers_of,
    square_cosines,
)
from lgn.discovery.networks.questions import SQUARE_GROUP, Question, exchanges_axes, questions_for
from lgn.groups import Subgroup
from lgn.stats import holm

#: The number of twists, and the smaller number for banks of more than MANY filters.
DRAWS, FEWER_DRAWS, MANY = 999, 299, 160
#: The smallest number of twists per question: the smallest p-value must be significant after the correction.
DRAWS_PER_QUESTION = 25
#: The number of random operators that balance is compared with.
REFERENCES = 199
#: The number of banks with independently transformed filters whose orbits are counted.
CHANCES = 20


@dataclass(frozen=True, eq=False)
class LayerFindings:
    """Everything about the filters of one layer."""

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
    #: A sentence per linear map that was fitted to pairs of copies.
    maps: tuple[str, ...]


class _Result(NamedTuple):
    """The answers to one question; p-values are corrected for all questions."""

    test: CopiesTest
    p_value: float
    self_symmetric: int
    balance: Balance | None = None
    p_kept: float = 1.0
    p_broken: float = 1.0

    @property
    def is_found(self) -> bool:
        """Whether filters are copies of each other under T."""
        return self.p_value <= LEVEL and self.test.is_large


def inspect_layer(weights: Tensor, layer: str = "", *, seed: int = 0, draws: int | None = None) -> LayerFindings:
    """The transformations under which the filters of a convolution are copies of each other, or balanced.

    draws: the number of twists.

    Shapes: (filters, channels, n, m), kernels of at least 3x3
    """
    bank = prepare(weights)
    generator = torch.Generator().manual_seed(seed)
    count, channels = bank.filters.shape[:2]
    questions = questions_for(channels, bank.patch)
    asked = sum(not question.repeats for question in questions)
    draws = draws or max(FEWER_DRAWS if count > MANY else DRAWS, DRAWS_PER_QUESTION * asked)
    cosines = square_cosines(bank.filters)
    results = _results(questions, bank.filters, cosines, draws, generator) if count >= FEWEST else []
    symmetries = {q.element: result for q, result in zip(questions, results, strict=False) if q.kind == "square"}
    group = _group_of_copies(symmetries)
    orbits = find_orbits(cosines, group)
    everything = SQUARE_GROUP.subgroup(symmetries)
    by_chance = _inside_by_chance(cosines, group, everything, generator)
    lookalikes = count_inside(find_orbits(cosines, everything, stands_out=0.0)) if count <= MANY else None
    power = power_of_test(bank.filters, asked, generator)
    generators = [group.elements[element] for element in group.group().generator_elements]
    maps = [fitted_map_note(bank, cosines[g], pairs_of(orbits, g), g, seed) for g in generators]
    rows = []
    for question, result in zip(questions, results, strict=False):
        element = question.element if question.kind == "square" and question.element in group.elements else None
        pairs = pairs_of(orbits, element) if element else []
        similarity = sum(float(cosines[element, i, j].abs()) for i, j in pairs) / len(pairs) if pairs else None
        numbered = tuple((int(bank.numbers[i]), int(bank.numbers[j])) for i, j in pairs)
        evidence = _evidence(result, numbered, similarity, power)
        decided: Verdict = "kept" if element else evidence[0].verdict or "undecided"
        word = group.group().words[group.elements.index(element)] if element else None
        rows.append(Row(question.transformation, decided, evidence, word, layer=layer))
    return LayerFindings(
        layer=layer,
        shape=tuple(weights.shape),
        bank=bank,
        rows=tuple(rows),
        group=group,
        balanced=largest_subgroup([g for g, found in symmetries.items() if _balance_verdict(found) == "kept"]),
        orbits=orbits,
        inside_by_chance=by_chance,
        lookalikes=lookalikes,
        power=power,
        maps=tuple(note for note in maps if note is not None),
    )


def _results(
    questions: Sequence[Question], filters: Tensor, square: Tensor, draws: int, generator: torch.Generator
) -> list[_Result]:
    """The results of all questions; those of an inverse are repeated."""
    compared = references(filters, REFERENCES, generator)
    results: list[_Result] = []
    for question in questions:
        if question.repeats:
            continue
        is_square = question.kind == "square"
        cosines = square[powers_of(question.element)] if is_square else question.cosines(filters)
        exponents = twists(question.order, len(filters), draws, generator)
        test = copies_test(question, cosines, exponents, generator)
        symmetric = 0 if question.kind == "sign" else int((cosines[1].diagonal().abs() >= ALIKE).sum())
        found = None
        if is_square:
            exchanges = exchanges_axes(question.element)
            found = balance(cosines, exponents, question.order, compared, exchanges_axes=exchanges)
        results.append(_Result(test, test.p_value, symmetric, found))
    p_values = holm([result.p_value for result in results])
    balances = [result.balance for result in results if result.balance is not None]  # of the first questions
    p_kept, p_broken = holm([found.p_kept for found in balances]), holm([found.p_broken for found in balances])
    padding = [1.0] * (len(results) - len(balances))
    columns = zip(results, p_values, p_kept + padding, p_broken + padding, strict=True)
    results = [result._replace(p_value=p, p_kept=kept, p_broken=broken) for result, p, kept, broken in columns]
    for place, question in enumerate(questions):
        if question.repeats:
            results.insert(place, results[0])
    return results


def _group_of_copies(symmetries: dict[int, _Result]) -> Subgroup:
    """The group that found elements generate; other elements need p <= 0.05 by themselves, and half the gap."""
    found = [element for element, result in symmetries.items() if result.is_found]
    likely = [
        element for element, result in symmetries.items() if result.test.p_value <= LEVEL and result.test.gap >= GAP / 2
    ]
    return largest_subgroup(found, likely, {element: result.test.gap for element, result in symmetries.items()})


def _balance_verdict(result: _Result) -> Verdict | None:
    return None if result.balance is None else verdict(result.balance, result.p_kept, result.p_broken)


def _evidence(
    result: _Result, pairs: tuple[tuple[int, int], ...], similarity: float | None, power: float
) -> tuple[Evidence, ...]:
    """The evidence on copies, and on balance for symmetries of the square."""
    test, balance = result.test, result.balance
    detail = Filters(
        pairs=pairs,
        similarity=similarity,
        alike=test.alike,
        alike_by_chance=test.alike_by_chance,
        self_symmetric=result.self_symmetric,
        p_values=(test.p_twist, test.p_gap),
    )
    decided: Verdict = "kept" if result.is_found else "broken" if power >= ENOUGH else "undecided"
    copies = Evidence("copies", test.gap, p_value=result.p_value, verdict=decided, detail=detail)
    if balance is None:
        return (copies,)
    balanced = _balance_verdict(result)
    p_value = result.p_broken if balanced == "broken" else result.p_kept
    compared = Filters(references=(balance.smooth_reference, balance.ring_reference))
    return copies, Evidence("balance", balance.rho, p_value=p_value, verdict=balanced, detail=compared)


def _inside_by_chance(
    cosines: Tensor, group: Subgroup, everything: Subgroup, generator: torch.Generator
) -> float | None:
    """The mean number of filters in orbits if filters are transformed independently.

    The orbits of the whole group of the kernel are the same then: None for it, and None without a group.
    """
    if group.order in (1, everything.order):
        return None
    moved = (moved_independently(cosines, everything, generator) for _ in range(CHANCES))
    return sum(count_inside(find_orbits(bank, group)) for bank in moved) / CHANCES
