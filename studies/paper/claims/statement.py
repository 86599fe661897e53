"""Statements: numbers with their intervals, comparisons of runs with their controls, and verdicts."""

import tomllib
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import mean
from typing import Any, Literal

from lgn.stats import student_interval, welch_interval
from studies.paper.excerpt import GeneratorScores, Scores
from studies.paper.summaries import Planted
from studies.truth.controls import FREE, OTHER_INPUTS, REPAIRED

Verdict = Literal["holds", "holds in part", "not seen", "not tested"]

MINIMUM_RUNS = 5  # for a verdict
ROUNDING = 1e-9  # the mean of three times 0.05 is not above 0.05

TEXTS: dict[str, dict[str, Any]] = tomllib.loads(Path(__file__).with_name("texts.toml").read_text())


@dataclass(frozen=True)
class Table:
    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Statement:
    number: int
    runs: str  # preset, start and data of the runs
    effect: str
    null: str
    verdict: Verdict
    details: tuple[str, ...] = ()
    released: Verdict | None = None  # the verdict on runs of the preset `released`
    tables: tuple[Table, ...] = ()

    @property
    def claim(self) -> str:
        return str(TEXTS[str(self.number)]["claim"])

    def to_json(self) -> dict[str, Any]:
        return {"number": self.number, "claim": self.claim} | asdict(self)


def stated(
    number: int, runs: str, verdict: Verdict, tables: tuple[Table, ...] = (), details: Iterable[str] = (), **values: Any
) -> Statement:
    """A statement with the texts of `texts.toml`, filled with values; `details` come after those."""
    texts = TEXTS[str(TEXTS[str(number)].get("like", number))]
    first = [text.format(**values) for text in texts.get("details", ())]
    effect, null = (texts[name].format(**values) for name in ("effect", "null"))
    return Statement(number, runs, effect, null, verdict, (*first, *details), tables=tables)


def untested(number: int, reason: str) -> Statement:
    return Statement(number, "nothing", reason, "", "not tested")


# Note [Three answers]
# A question has three answers: yes, no, and None if fewer than five runs leave it open.
@dataclass(frozen=True)
class Estimate:
    """A mean over runs, or the difference of two, and its 95 % interval by Student or Welch; none from a single run."""

    mean: float
    low: float | None
    high: float | None
    runs: int
    others: int | None = None  # the number of runs that were subtracted

    def __str__(self) -> str:
        over = f"{self.runs} run{'s' if self.runs > 1 else ''}"
        over = over if self.others is None else f"{self.runs} and {self.others} runs"
        interval = "" if self.low is None else f" [{self.low:.3g}, {self.high:.3g}]"
        return f"{self.mean:.3g}{interval} over {over}"

    @property
    def tested(self) -> bool:
        return min(self.runs, self.runs if self.others is None else self.others) >= MINIMUM_RUNS

    def above(self, value: float) -> bool | None:
        """Whether the interval lies above a value by more than rounding."""
        return self.low is not None and self.low > value + ROUNDING if self.tested else None

    def below(self, value: float) -> bool | None:
        return self.high is not None and self.high < value - ROUNDING if self.tested else None


def estimate(values: list[float]) -> Estimate:
    """The mean over runs with Student's interval: the run is the unit, not the generator."""
    middle, *bounds = student_interval(values)
    low, high = bounds if len(values) > 1 else (None, None)
    return Estimate(middle, low, high, len(values))


def difference(one: list[float], other: list[float]) -> Estimate:
    """The difference of two means over runs with Welch's interval."""
    middle, *bounds = welch_interval(one, other)
    low, high = bounds if min(len(one), len(other)) > 1 else (None, None)
    return Estimate(middle, low, high, len(one), len(other))


def all_of(answers: Iterable[bool | None]) -> bool | None:
    given = list(answers)
    return False if False in given else None if None in given else True


def of_parts(parts: Iterable[bool | None]) -> Verdict:
    """The verdict on a claim of several parts, by those that were tested; it holds if no part is open."""
    given = list(parts)
    if all(part is None for part in given):
        return "not tested"
    return "holds" if all(given) else "holds in part" if any(given) else "not seen"


def graded(in_part: bool | None, *more: bool | None) -> Verdict:
    """The verdict on a claim that holds in part by the first answer, and holds if all answers are yes."""
    holds = all_of([in_part, *more])
    if holds is None and in_part is None:
        return "not tested"
    return "holds" if holds else "holds in part" if in_part else "not seen"


CONTROLS = (FREE, REPAIRED, OTHER_INPUTS)


@dataclass(frozen=True)
class Measured:
    """The scores of runs and, by name, of their controls."""

    runs: list[Scores]
    controls: dict[str, list[Scores]] = field(default_factory=dict)
    planted: list[Planted] = field(default_factory=list)


@dataclass(frozen=True)
class Comparison:
    """A number of runs, the same number of each control, and the differences."""

    name: str
    runs: Estimate
    controls: dict[str, Estimate]
    ahead: dict[str, Estimate]
    least: float | None = None  # a value that the runs must exceed
    planted: Estimate | None = None  # the same number of planted structures

    def beyond(self) -> bool | None:
        """Whether the runs are above the least value and ahead of all controls."""
        above = [] if self.least is None else [self.runs.above(self.least)]
        return all_of([*above, *(self.ahead[name].above(0) if name in self.ahead else None for name in CONTROLS)])

    def __str__(self) -> str:
        return f"{self.name} {self.runs}"


def compare(
    name: str,
    number: Callable[[Scores], float],
    measured: Measured,
    least: float | None = None,
    planted: Iterable[float] = (),
) -> Comparison:
    """A number of each run, compared with the same number of each control."""
    runs, there = [number(item) for item in measured.runs], list(planted)
    controls = {title: [number(item) for item in scores] for title, scores in measured.controls.items() if scores}
    return Comparison(
        name,
        estimate(runs),
        {title: estimate(values) for title, values in controls.items()},
        {title: difference(runs, values) for title, values in controls.items()},
        least,
        estimate(there) if there else None,
    )


def table(title: str, comparisons: Iterable[Comparison], least: str = "must exceed") -> Table:
    """A row for each comparison: runs, controls, value to exceed, answer, and planted structures if there are any."""
    compared = list(comparisons)
    planted = ("planted",) if any(item.planted for item in compared) else ()
    rows = []
    for item in compared:
        controls = [str(item.controls.get(name, "not run")) for name in CONTROLS]
        bound = "" if item.least is None else f"{item.least:.3g}"
        last = (str(item.planted or "not run"),) if planted else ()
        rows.append((item.name, str(item.runs), *controls, bound, ANSWERS[item.beyond()], *last))
    return Table(title, ("", "runs", *CONTROLS, least, "beyond all", *planted), tuple(rows))


ANSWERS = {True: "yes", False: "no", None: "not tested"}


def of_best(score: str, number: Callable[[GeneratorScores], float]) -> Callable[[Scores], float]:
    return lambda scores: number(max(scores.generators, key=lambda item: item.score(score)))


def over_generators(number: Callable[[GeneratorScores], float]) -> Callable[[Scores], float]:
    return lambda scores: mean(number(item) for item in scores.generators)


def fact(item: GeneratorScores, name: str) -> float:
    value = item.facts[name]
    if value is None:
        raise ValueError(f"name must be a fact of {item.name}, got {name!r}")
    return value
