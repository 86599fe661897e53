"""What claims are measured on: runs that differ in their seed, and single long runs beside them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from lgn.analysis import Analysis
from lgn.recipes.claims.statement import Statement, untested
from lgn.recipes.context import Context, caption
from lgn.recipes.runs import long_runs, seeds_of
from lgn.training import Config, Run

# From words on what was measured, and analyses of one or more samples, to a statement.
Judge = Callable[..., Statement]


@dataclass(frozen=True)
class Sample:
    """Finished runs that differ in their seed alone, or several such samples together."""

    context: Context
    words: str
    runs: tuple[Run, ...]

    @property
    def analyses(self) -> list[Analysis]:
        return [self.context.analysis(run, packed=True) for run in self.runs]

    @property
    def accuracies(self) -> list[float]:
        return [run.metrics[-1]["test_accuracy"] for run in self.runs]

    def __add__(self, other: "Sample") -> "Sample":
        # A quick reproduction has one run in place of several: it counts once.
        runs = {run.path: run for run in (*self.runs, *other.runs)}
        words = self.words if self.words == other.words else f"{self.words}; {other.words}"
        return replace(self, words=words, runs=tuple(runs.values()))


def sample(context: Context, config: Config, epochs: int | None = None, seeds: int | None = None) -> Sample:
    """Short runs over seeds, one in a quick reproduction; as many of them as there are where nothing is trained."""
    configs = seeds_of(config, 1 if context.quick else seeds)
    if epochs is not None:
        configs = [replace(each, epochs=epochs) for each in configs]
    runs = context.runs(configs)
    words = caption(context.configured(configs[0])).removesuffix(f", seed {configs[0].seed}")
    return Sample(context, f"{words}, {len(runs)} of {len(configs)} seeds", tuple(runs))


def judged(
    number: int, judge: Judge, *samples: Sample, beside: Sample | None = None, alone: tuple[str, ...] = ()
) -> Statement:
    """A statement on samples; without any run it says so, and a verdict needs at least two.

    beside: a sample with the settings of the released code, which is judged by itself.
    alone: data sets whose long runs are put beside it, each start and preset by itself: they are no sample.
    """
    words = "; ".join(dict.fromkeys(each.words for each in samples))
    if all(each.runs for each in samples):
        statement = judge(words, *(each.analyses for each in samples))
    else:
        statement = untested(number, f"runs are missing: {words}")
    if min(len(each.runs) for each in samples) < 2:
        statement = replace(statement, verdict="not tested")
    details = list(statement.details)
    if beside is not None:
        other = judged(number, judge, beside)
        details.append(f"{beside.words}: {other.effect if beside.runs else 'not run'}; by these alone: {other.verdict}")
        statement = replace(statement, released=other.verdict)
    return replace(statement, details=(*details, *_long_runs(samples[0].context, judge, alone)))


def _long_runs(context: Context, judge: Judge, names: tuple[str, ...]) -> list[str]:
    """The same number of every long run, of both starts and both presets; those that are not there are named."""
    lines = []
    for data in context.distinct(*names) if names else ():
        for config in long_runs(data).values():
            run = context.finished(config)
            number = "not run" if run is None else judge("", [context.analysis(run)]).effect
            lines.append(f"{caption(context.configured(config))}: {number}")
    return lines
