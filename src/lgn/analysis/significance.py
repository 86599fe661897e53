"""P-values of everything that is tested, corrected together, with more draws where the number of draws decides."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.analysis.chance import Chance
from lgn.stats import benjamini_hochberg

MOST_DRAWS = 50_000


@dataclass(frozen=True)
class Hypothesis:
    """One thing that is tested on one matrix: all its statistics must be beyond chance."""

    chance: int  # which Chance
    member: int  # which matrix of it
    name: str
    columns: tuple[int, ...]  # which statistics of it
    group: str  # corrected together with the others of its group
    void: bool = False  # a condition failed: it cannot hold, and counts as a test with p = 1


def judge(
    chances: list[Chance],
    hypotheses: list[Hypothesis],
    draws: int,
    rate: float,
    progress: Callable[[str], None] = lambda _: None,
) -> tuple[Tensor, Tensor]:
    """P-values and adjusted p-values of all hypotheses, (H,) each.

    First `draws` draws of each null. A p-value cannot be below 1 / (1 + draws): hypotheses that stand at
    this floor but are not significant there after correction are given more draws, as many as the
    correction asks for, up to 50,000. The others are not: to look again only at what may improve would bias
    them.
    """
    for chance in chances:
        _first_draws(chance, draws, progress)
    while True:
        p = _largest(chances, hypotheses)
        adjusted = _adjust(p, hypotheses)
        at_floor = [i for i in range(len(hypotheses)) if adjusted[i] > rate and _floored(chances, hypotheses[i], p[i])]
        if not at_floor:
            return p, adjusted
        asked = len(hypotheses) / (rate * (len(at_floor) + int((adjusted <= rate).sum())))
        progress("more draws")
        _escalate(chances, [hypotheses[i] for i in at_floor], math.ceil(1.2 * asked))


# Note [Draws]
# The p-value of a statistic is the largest over its nulls, so once it is large under one null nothing that the others
# say can make it small. After a fifth of the draws, statistics that more than 5 percent of them have reached under any
# null are left: their p-values are above 0.05 and stay valid, only coarser. Those that go on are judged on all their
# draws. In the same way the p-values that are refined at the floor stay valid: to be small after more draws is rarer
# than to be small after fewer. The nulls that keep smoothness come first: they leave least to the others.
def _first_draws(chance: Chance, draws: int, progress: Callable[[str], None]) -> None:
    look = max(1, draws // 5)
    hopeless = chance.exact > 0.05
    for null in chance.nulls:
        progress(f"{null.name} null on U" if chance.restricted else f"{null.name} null")
        applies = chance.applies(null)
        chance.draw(null, applies, look)
        hopeless |= chance.reached[null.name] > 0.05 * look
        chance.draw(null, applies & ~hopeless, draws - look)


def _largest(chances: list[Chance], hypotheses: list[Hypothesis]) -> Tensor:
    """The largest p-value over the nulls and the statistics of each hypothesis."""
    tables = [torch.stack(list(c.p_values().values())).nan_to_num(-1).amax(0) for c in chances]
    values = [1.0 if h.void else float(tables[h.chance][h.member, list(h.columns)].max()) for h in hypotheses]
    return torch.tensor(values, dtype=torch.float64)


def _adjust(p: Tensor, hypotheses: list[Hypothesis]) -> Tensor:
    adjusted = torch.ones_like(p)
    for group in {h.group for h in hypotheses}:
        members = torch.tensor([h.group == group for h in hypotheses])
        adjusted[members] = benjamini_hochberg(p[members])
    return adjusted


def _open_places(chance: Chance, each: Hypothesis) -> list[tuple[str, int]]:
    """The nulls and statistics of a hypothesis that no draw has reached yet, with draws left to make."""
    return [
        (null, column)
        for null in chance.draws
        for column in each.columns
        if 0 < chance.draws[null][each.member, column] < MOST_DRAWS and chance.reached[null][each.member, column] == 0
    ]


def _floored(chances: list[Chance], each: Hypothesis, p: Tensor) -> bool:
    """Whether nothing but the number of draws keeps the p-value from being smaller."""
    chance = chances[each.chance]
    places = _open_places(chance, each)
    return any(1 / (1 + float(chance.draws[null][each.member, column])) >= float(p) for null, column in places)


def _escalate(chances: list[Chance], hypotheses: list[Hypothesis], asked: int) -> None:
    """Bring every open place of the hypotheses to the draws asked for, at least twice what it had."""
    for index, chance in enumerate(chances):
        for null in chance.nulls:
            more = torch.zeros(chance.observed.shape, dtype=torch.int64)
            for each in hypotheses:
                if each.chance == index:
                    for column in (c for n, c in _open_places(chance, each) if n == null.name):
                        had = int(chance.draws[null.name][each.member, column])
                        more[each.member, column] = min(max(asked, 2 * had), MOST_DRAWS) - had
            for count in more.unique().tolist():
                if count > 0:
                    chance.draw(null, more == count, count)
