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

MINIMUM_RUNS = 5  # for a verdict: with fewer the numbers stand there, and nothing is said of them
CONFIDENCE = 0.95
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
    runs: str  # preset, start and data of what was measured
    effect: str
    null: str
    verdict: Verdict
    details: tuple[str, ...] = ()
    released: Verdict | None = None  # by seeds of the released code's settings alone, where the claim is judged on them
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
# Whether something is so has three answers: yes, no, and None where fewer than five runs leave it open. A claim that
# asks for several things at once fails with the first that fails; a claim of several parts is judged on those that
# were tested.
@dataclass(frozen=True)
class Estimate:
    """A mean over runs, or the difference of two, and its 95 % interval by Student or Welch; none from a single run."""

    mean: float
    low: float | None
    high: float | None
    runs: int
    others: int | None = None  # how many runs were subtracted, where it is a difference

    def __str__(self) -> str:
        over = f"{self.runs} run{'s' if self.runs > 1 else ''}"
        over = over if self.others is None else f"{self.runs} and {self.others} runs"
        interval = "" if self.low is None else f" [{self.low:.3g}, {self.high:.3g}]"
        return f"{self.mean:.3g}{interval} over {over}"

    @property
    def tested(self) -> bool:
        return min(self.runs, self.runs if self.others is None else self.others) >= MINIMUM_RUNS

    def above(self, value: float) -> bool | None:
        """Whether the whole interval lies above a value, by more than rounding; open where there are too few runs."""
        return self.low is not None and self.low > value + ROUNDING if self.tested else None

    def below(self, value: float) -> bool | None:
        return self.high is not None and self.high < value - ROUNDING if self.tested else None


def estimate(values: list[float]) -> Estimate:
    """The mean over runs with Student's interval, `mean +- t s / sqrt(n)`: the run is the unit, not the generator."""
    if len(values) < 2:
        return Estimate(mean(values), None, None, len(values))
    return Estimate(*student_interval(values), len(values))


def difference(one: list[float], other: list[float]) -> Estimate:
    """The difference of two means over runs with Welch's interval: the variances need not be equal."""
    if min(len(one), len(other)) < 2:
        return Estimate(mean(one) - mean(other), None, None, len(one), len(other))
    return Estimate(*welch_interval(one, other), len(one), len(other))


def all_of(answers: Iterable[bool | None]) -> bool | None:
    given = list(answers)
    return False if False in given else None if None in given else True


def of_parts(parts: Iterable[bool | None]) -> Verdict:
    """The verdict on a claim of several parts; to hold, none of them may be open."""
    given = list(parts)
    if all(part is None for part in given):
        return "not tested"
    return "holds" if all(given) else "holds in part" if any(given) else "not seen"


def graded(holds: bool | None, in_part: bool | None) -> Verdict:
    if holds is None and in_part is None:
        return "not tested"
    return "holds" if holds else "holds in part" if in_part else "not seen"


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
        return all_of([*above, *missing, *(item.above(0) for item in self.ahead.values())])

    def __str__(self) -> str:
        return f"{self.name} {self.runs}"


def compare(
    name: str,
    number: Callable[[Scores], float],
    measured: Measured,
    least: float | None = None,
    planted: Iterable[float] = (),
) -> Comparison:
    """A number of each run, compared with the same number of each control, and with that of planted structures."""
    runs = [number(item) for item in measured.runs]
    controls = {title: [number(item) for item in some] for title, some in measured.controls.items() if some}
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
    planted = ("planted",) if any(item.planted for item in compared) else ()
    rows = []
    for item in compared:
        beside = [str(item.controls[name]) if name in item.controls else "not run" for name in CONTROLS]
        bound = "" if item.least is None else f"{item.least:.3g}"
        there = (str(item.planted or "not run"),) if planted else ()
        rows.append((item.name, str(item.runs), *beside, bound, ANSWERS[item.beyond()], *there))
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
