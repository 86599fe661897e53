"""P-values of all hypotheses, corrected together, with more draws where the number of draws limits them."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from lgn.analysis.null_distributions import NullDistributions
from lgn.stats import benjamini_hochberg

MOST_DRAWS = 50_000


@dataclass(frozen=True)
class Hypothesis:
    """A property to test on one matrix: its statistic must be beyond chance."""

    table: int  # index of its NullDistributions
    member: int  # index of the matrix there
    name: str
    column: int  # index of the statistic there
    group: str  # corrected together with the hypotheses of the same group
    void: bool = False  # a condition fails: the test counts, with p = 1


def adjusted_p_values(
    tables: list[NullDistributions],
    hypotheses: list[Hypothesis],
    draws: int,
    rate: float,
    stage: Callable[[str], None] = lambda _: None,
) -> tuple[Tensor, Tensor]:
    """P-values and adjusted p-values of all hypotheses, both (H,).

    Every null model is drawn `draws` times first. A p-value cannot be below 1 / (1 + draws). Hypotheses at this floor
    that are not significant after the correction get the draws that the correction needs, up to 50,000. The others do
    not: to test again only what can improve would bias them.
    """
    for table in tables:
        _first_draws(table, draws, stage)
    while True:
        worst = [torch.stack(list(table.p_values().values())).nan_to_num(-1).amax(0) for table in tables]
        values = [1.0 if h.void else float(worst[h.table][h.member, h.column]) for h in hypotheses]
        p = torch.tensor(values, dtype=torch.float64)
        adjusted = torch.ones_like(p)
        for group in {h.group for h in hypotheses}:
            members = torch.tensor([h.group == group for h in hypotheses])
            adjusted[members] = benjamini_hochberg(p[members])
        at_floor = [
            h
            for h, own, own_adjusted in zip(hypotheses, p.tolist(), adjusted.tolist(), strict=True)
            if own_adjusted > rate and any(1 / (1 + n) >= own for n in _unreached(tables[h.table], h).values())
        ]
        if not at_floor:
            return p, adjusted
        needed = len(hypotheses) / (rate * (len(at_floor) + int((adjusted <= rate).sum())))
        stage("more draws")
        _draw_more(tables, at_floor, math.ceil(1.2 * needed))


# Note [Draws]
# The p-value of a statistic is the largest over its null models, so once it is large under one model, no other model
# can make it small. After a fifth of the draws, statistics that more than 5 percent of the draws have reached under any
# model get no more draws: their p-values are above 0.05 and valid, only coarser. The other statistics are judged on all
# their draws. The p-values that are refined at the floor are valid for the same reason: to be small after more draws is
# less likely than to be small after fewer. The models that keep smoothness come first, because they are the strictest.
def _first_draws(table: NullDistributions, draws: int, stage: Callable[[str], None]) -> None:
    first = max(1, draws // 5)
    large = table.exact > 0.05
    for model in table.models:
        stage(f"{model.name} null on U" if table.restricted else f"{model.name} null")
        applies = model.applies.expand_as(table.observed)
        table.draw(model, applies, first)
        large |= table.reached[model.name] > 0.05 * first
        table.draw(model, applies & ~large, draws - first)


def _unreached(table: NullDistributions, hypothesis: Hypothesis) -> dict[str, int]:
    """The numbers of draws of the null models that have not reached the statistic and may have more draws."""
    place = (hypothesis.member, hypothesis.column)
    made = {name: int(draws[place]) for name, draws in table.draws.items() if table.reached[name][place] == 0}
    return {name: count for name, count in made.items() if 0 < count < MOST_DRAWS}


def _draw_more(tables: list[NullDistributions], hypotheses: list[Hypothesis], needed: int) -> None:
    """Bring all unreached statistics of the hypotheses to `needed` draws, and at least to twice their draws."""
    for index, table in enumerate(tables):
        for model in table.models:
            more = torch.zeros(table.observed.shape, dtype=torch.int64)
            for hypothesis in (h for h in hypotheses if h.table == index):
                if made := _unreached(table, hypothesis).get(model.name):
                    more[hypothesis.member, hypothesis.column] = min(max(needed, 2 * made), MOST_DRAWS) - made
            for count in more.unique().tolist():
                if count > 0:
                    table.draw(model, more == count, count)
