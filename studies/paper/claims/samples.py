"""Samples of runs that differ in their seed, with their controls, and the statements that are judged on them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from lgn.training import Config, Run, preset
from studies.paper.claims.statement import MINIMUM_RUNS, Measured, Statement, Verdict, untested
from studies.paper.context import TITLES, Context, caption
from studies.paper.excerpt import Scores
from studies.paper.runs import long_runs, seeds_of, with_equal_filters
from studies.paper.summaries import controls_of, free_scores_of, planted_of, scores_of
from studies.truth.controls import FREE, OTHER_INPUTS, REPAIRED

# From words on what was measured, and one or more samples, to a statement.
Judge = Callable[..., Statement]


@dataclass(frozen=True)
class Sample:
    """Finished runs that differ in their seed alone, and runs of free networks that they are compared with."""

    context: Context
    words: str
    runs: tuple[Run, ...]
    free: tuple[Run, ...] = ()

    @cached_property
    def scores(self) -> list[Scores]:
        return [scores_of(self.context, run) for run in self.runs]

    @cached_property
    def measured(self) -> Measured:
        """The scores of the runs and of their controls; where structures are judged, what is found of planted ones."""
        made = [controls_of(self.context, run) for run in self.runs]
        share = self.runs[0].config.network.share
        free = [free_scores_of(self.context, run, share) for run in self.free]
        controls = {name: [item[name] for item in made] for name in (REPAIRED, OTHER_INPUTS)}
        # The structures that can be planted are those that are said to emerge for classification.
        emerging = bool(free) and self.runs[0].facts.task == "classify"
        found = [planted_of(self.context, run) for run in self.runs] if emerging else []
        return Measured(self.scores, ({FREE: free} if free else {}) | controls, [item for item in found if item])

    @property
    def accuracies(self) -> list[float]:
        return [run.metrics[-1]["test_accuracy"] for run in self.runs]

    @property
    def data(self) -> str:
        return TITLES[self.runs[0].config.data]


def sample(
    context: Context, config: Config, epochs: int | None = None, free: bool = False, accuracy: bool = False
) -> Sample:
    """Short runs over seeds, one in a quick reproduction; as many of them as there are where nothing is trained.

    free: with the runs of free networks on the same data and task, in the paper's settings.
    accuracy: it is all that is asked of the runs.
    """
    configs = seeds_of(config, 1 if context.quick else None)
    if epochs is not None:
        configs = [replace(item, epochs=epochs) for item in configs]
    runs = context.runs(configs, accuracy)
    words = caption(context.configured(configs[0])).removesuffix(f", seed {configs[0].seed}")
    group = preset("paper", config.task, data=config.data)
    beside = sample(context, with_equal_filters(group, "free filters")).runs if free else ()
    return Sample(context, f"{words}, {len(runs)} of {len(configs)} seeds", tuple(runs), beside)


def judged(
    number: int, judge: Judge, *samples: Sample, beside: Sample | None = None, alone: tuple[str, ...] = ()
) -> Statement:
    """A statement on samples; without any run it says so, and a verdict needs at least five.

    beside: a sample with the settings of the released code, which is judged by itself.
    alone: data sets whose long runs are put beside it, each start and preset by itself: they are no sample.
    """
    words = "; ".join(dict.fromkeys(item.words for item in samples))
    if all(item.runs for item in samples):
        statement = judge(words, *(item.measured for item in samples))
    else:
        statement = untested(number, f"runs are missing: {words}")
    if min(len(item.runs) for item in samples) < MINIMUM_RUNS:
        statement = replace(statement, verdict="not tested")
    details = list(statement.details)
    if beside is not None:
        other = judged(number, judge, beside)
        details.append(f"{beside.words}: {other.effect if beside.runs else 'not run'}; by these alone: {other.verdict}")
        details += [f"{beside.words}: {detail}" for detail in other.details if detail not in statement.details]
        statement = replace(statement, released=other.verdict, tables=(*statement.tables, *other.tables))
    return replace(statement, details=(*details, *_long_runs(samples[0].context, judge, alone)))


def together(number: int, parts: dict[str, Statement]) -> Statement:
    """One statement from those on each data set by itself: a mixed sample could differ by its share of either."""
    if not parts:
        return untested(number, "runs are missing on every data set")
    released = [item.released for item in parts.values() if item.released is not None]
    return replace(
        next(iter(parts.values())),
        runs="; ".join(item.runs for item in parts.values()),
        effect="; ".join(f"{data}: {item.effect} ({item.verdict})" for data, item in parts.items()),
        null="; ".join(_by_data({data: item.null for data, item in parts.items() if item.null})),
        verdict=combined([item.verdict for item in parts.values()]),
        released=combined(released) if released else None,
        details=tuple(
            detail if detail.startswith(data) else f"{data}: {detail}"
            for data, item in parts.items()
            for detail in item.details
        ),
        tables=tuple(table for item in parts.values() for table in item.tables),
    )


def _by_data(words: dict[str, str]) -> list[str]:
    same = len(set(words.values())) == 1
    return list(words.values())[:1] if same else [f"{data}: {item}" for data, item in words.items()]


def combined(verdicts: list[Verdict]) -> Verdict:
    """Over data sets: those that were tested decide, and to hold all must have been."""
    tested = {verdict for verdict in verdicts if verdict != "not tested"}
    if not tested:
        return "not tested"
    if tested == {"holds"}:
        return "holds" if "not tested" not in verdicts else "holds in part"
    return "not seen" if tested == {"not seen"} else "holds in part"


def _long_runs(context: Context, judge: Judge, names: tuple[str, ...]) -> list[str]:
    lines = []
    for data in context.distinct(*names) if names else ():
        for config in long_runs(data).values():
            run = context.finished(config)
            number = "not run" if run is None else judge("", Measured([scores_of(context, run)])).effect
            lines.append(f"{caption(context.configured(config))}: {number}")
    return lines
