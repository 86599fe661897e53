"""Samples of runs that differ in their seed, with their controls, and the statements that are judged on them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from lgn.training import Config, Run, preset
from studies.paper.claims.statement import MINIMUM_RUNS, Measured, Statement, Verdict, of_parts, untested
from studies.paper.context import Context, caption
from studies.paper.excerpt import Scores
from studies.paper.runs import long_runs, seeds_of, with_equal_filters
from studies.paper.summaries import controls_of, free_scores_of, planted_of, scores_of
from studies.training import TITLES
from studies.truth.controls import FREE, OTHER_INPUTS, REPAIRED

Judge = Callable[..., Statement]  # of a description of the runs, and the measurements of one or more samples
PARTS: dict[Verdict, tuple[bool | None, ...]] = {
    "holds": (True,),
    "holds in part": (True, False),
    "not seen": (False,),
    "not tested": (None,),
}


@dataclass(frozen=True)
class Sample:
    """Finished runs that differ in their seed alone, and runs of free networks that they are compared with."""

    context: Context
    title: str
    runs: tuple[Run, ...]
    free: tuple[Run, ...] = ()

    @cached_property
    def scores(self) -> list[Scores]:
        return [scores_of(self.context, run) for run in self.runs]

    @cached_property
    def measured(self) -> Measured:
        """The scores of the runs, of their controls, and of planted structures."""
        made = [controls_of(self.context, run) for run in self.runs]
        share = self.runs[0].config.network.share
        free = [free_scores_of(self.context, run, share) for run in self.free]
        controls = {name: [item[name] for item in made] for name in (REPAIRED, OTHER_INPUTS)}
        # The structures that are planted are those that the paper sees in classification.
        emerging = bool(free) and self.runs[0].facts.task == "classify"
        found = [planted_of(self.context, run) for run in self.runs] if emerging else []
        return Measured(self.scores, ({FREE: free} if free else {}) | controls, [item for item in found if item])

    @property
    def points(self) -> list[float]:
        """The test accuracy of each run, in percent."""
        return [100 * run.metrics[-1]["test_accuracy"] for run in self.runs]

    @property
    def data(self) -> str:
        return TITLES[self.runs[0].config.data]


def sample(
    context: Context, config: Config, epochs: int | None = None, free: bool = False, accuracy: bool = False
) -> Sample:
    """Short runs over seeds, or a single run in a quick reproduction.

    free: with runs of free networks on the same data and task, with the settings of the preset `paper`
    accuracy: only the accuracy of the runs is needed
    """
    configs = seeds_of(config, 1 if context.quick else None)
    if epochs is not None:
        configs = [replace(item, epochs=epochs) for item in configs]
    runs = context.runs(configs, accuracy)
    title = caption(context.configured(configs[0])).removesuffix(f", seed {configs[0].seed}")
    group = preset("paper", config.task, data=config.data)
    networks = sample(context, with_equal_filters(group, "free filters")).runs if free else ()
    return Sample(context, f"{title}, {len(runs)} of {len(configs)} seeds", tuple(runs), networks)


def judged(number: int, judge: Judge, *samples: Sample, released: Sample | None = None, data: str = "") -> Statement:
    """A statement on samples; a verdict needs at least five runs.

    released: a sample with the settings of the released code, which is judged separately
    data: the data set whose long runs are listed in the details
    """
    title = "; ".join(dict.fromkeys(item.title for item in samples))
    if all(item.runs for item in samples):
        statement = judge(title, *(item.measured for item in samples))
    else:
        statement = untested(number, f"runs are missing: {title}")
    if min(len(item.runs) for item in samples) < MINIMUM_RUNS:
        statement = replace(statement, verdict="not tested")
    details = list(statement.details)
    if released is not None:
        other = judged(number, judge, released)
        details.append(
            f"{released.title}: {other.effect if released.runs else 'not run'}; by these alone: {other.verdict}"
        )
        details += [f"{released.title}: {detail}" for detail in other.details if detail not in statement.details]
        statement = replace(statement, released=other.verdict, tables=(*statement.tables, *other.tables))
    return replace(statement, details=(*details, *_long_runs(samples[0].context, judge, data)))


def together(number: int, parts: dict[str, Statement]) -> Statement:
    """One statement from the statements on each data set."""
    if not parts:
        return untested(number, "runs are missing on every data set")
    released = [item.released for item in parts.values() if item.released is not None]
    nulls = {data: item.null for data, item in parts.items() if item.null}
    same = len(set(nulls.values())) == 1
    return replace(
        next(iter(parts.values())),
        runs="; ".join(item.runs for item in parts.values()),
        effect="; ".join(f"{data}: {item.effect} ({item.verdict})" for data, item in parts.items()),
        null="; ".join(set(nulls.values()) if same else (f"{data}: {null}" for data, null in nulls.items())),
        verdict=combined([item.verdict for item in parts.values()]),
        released=combined(released) if released else None,
        details=tuple(
            detail if detail.startswith(data) else f"{data}: {detail}"
            for data, item in parts.items()
            for detail in item.details
        ),
        tables=tuple(table for item in parts.values() for table in item.tables),
    )


def combined(verdicts: list[Verdict]) -> Verdict:
    """The verdict over data sets; the claim holds if it holds on all of them."""
    return of_parts([part for verdict in verdicts for part in PARTS[verdict]])


def _long_runs(context: Context, judge: Judge, data: str) -> list[str]:
    lines = []
    for config in long_runs(data).values() if data else ():
        run = context.finished(config)
        number = "not run" if run is None else judge("", Measured([scores_of(context, run)])).effect
        lines.append(f"{caption(context.configured(config))}: {number}")
    return lines
