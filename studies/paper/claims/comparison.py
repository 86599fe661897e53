"""A number of runs beside the same number of their controls: what generators without an operator have too."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from statistics import mean

from studies.paper.claims.statement import Estimate, Table, all_of, difference, estimate
from studies.paper.excerpt import GeneratorScores, Scores
from studies.paper.summaries import Planted
from studies.truth.unrelated import FREE, OTHER_INPUTS, REPAIRED

CONTROLS = (FREE, REPAIRED, OTHER_INPUTS)


@dataclass(frozen=True)
class Measured:
    """The scores of runs, and by the name of each control those of the control, a run each."""

    runs: list[Scores]
    controls: dict[str, list[Scores]] = field(default_factory=dict)
    planted: list[Planted] = field(default_factory=list)  # what is found in such networks of structures that are there


@dataclass(frozen=True)
class Comparison:
    """One number over runs, that of each control, and how far the runs are ahead of it."""

    name: str
    runs: Estimate
    controls: dict[str, Estimate]
    ahead: dict[str, Estimate]
    least: float | None = None  # a value that the runs must be above as well
    planted: Estimate | None = None  # the same number where what is claimed was planted

    def beyond(self) -> bool | None:
        """Whether the runs are above the least value and ahead of all controls: what one of them has is not learned."""
        above = [] if self.least is None else [self.runs.above(self.least)]
        missing = [None for name in CONTROLS if name not in self.ahead]
        return all_of([*above, *missing, *(each.above(0) for each in self.ahead.values())])

    def __str__(self) -> str:
        return f"{self.name} {self.runs}"


def compare(
    name: str,
    number: Callable[[Scores], float],
    measured: Measured,
    least: float | None = None,
    planted: Iterable[float] = (),
) -> Comparison:
    """A number of each run, against the same number of each control, and beside that of planted structures."""
    runs = [number(each) for each in measured.runs]
    controls = {title: [number(each) for each in some] for title, some in measured.controls.items() if some}
    there = list(planted)
    return Comparison(
        name,
        estimate(runs),
        {title: estimate(values) for title, values in controls.items()},
        {title: difference(runs, values) for title, values in controls.items()},
        least,
        estimate(there) if there else None,
    )


def table(title: str, comparisons: Iterable[Comparison], least: str = "must exceed") -> Table:
    """A row each: the runs, every control, the value to exceed, and whether the runs are beyond all of them.

    Last, where there is one, the number of what was planted.
    """
    compared = list(comparisons)
    planted = ("planted",) if any(each.planted for each in compared) else ()
    rows = []
    for each in compared:
        beside = [str(each.controls[name]) if name in each.controls else "not run" for name in CONTROLS]
        bound = "" if each.least is None else f"{each.least:.3g}"
        there = (str(each.planted or "not run"),) if planted else ()
        rows.append((each.name, str(each.runs), *beside, bound, ANSWERS[each.beyond()], *there))
    return Table(title, ("", "runs", *CONTROLS, least, "beyond all", *planted), tuple(rows))


ANSWERS = {True: "yes", False: "no", None: "not tested"}


def of_best(score: str, number: Callable[[GeneratorScores], float]) -> Callable[[Scores], float]:
    """A number of the generator with the highest score, the one that a figure would show."""
    return lambda scores: number(max(scores.generators, key=lambda each: each.score(score)))


def over_generators(number: Callable[[GeneratorScores], float]) -> Callable[[Scores], float]:
    """The mean of a number over the generators of a run."""
    return lambda scores: mean(number(each) for each in scores.generators)


def fact(each: GeneratorScores, name: str) -> float:
    """A fact that every generator has."""
    value = each.facts[name]
    if value is None:
        raise ValueError(f"name must be a fact of {each.name}, got {name!r}")
    return value
