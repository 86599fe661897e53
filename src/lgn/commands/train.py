"""`lgn train`: train a network, or continue a training."""

import sys
from typing import Any

from lgn.commands.options import TrainOptions, parse
from lgn.training import Interrupted, Run, train
from lgn.training.processes import is_first_process

HELP = """Train a linear group network and leave a run directory.

Under torchrun the same command trains in several processes."""


def run(args: list[str]) -> int:
    trained = train_with(parse(TrainOptions, args, "lgn train", HELP))
    if trained is None:
        return 130
    print(result_line(trained))
    print(f"run: {trained.path}")
    return 0


def train_with(options: TrainOptions) -> Run | None:
    """Train, and return the run; None if the user stopped it. Under torchrun only the first process returns."""
    config, out = options.settled()
    try:
        trained = train(config, out)
    except Interrupted as interruption:
        if is_first_process():
            print(interruption, file=sys.stderr)
        return None
    if not is_first_process():  # what follows is said, and written, once
        sys.exit(0)
    return trained


def result_line(finished: Run) -> str:
    """The last epoch in words, and by layer how near its step is to the largest at which ISTA converges."""
    metrics = finished.metrics
    if not metrics:
        raise ValueError(f"{finished.path} has no metrics.jsonl: a finished run must have a line for every epoch")
    with finished.reading("metrics.jsonl", "the metrics of a run"):
        return _result_words(metrics[-1])


def _result_words(last: dict[str, Any]) -> str:
    if "test_accuracy" in last:
        words = f"test accuracy {100 * last['test_accuracy']:.2f} %"
    else:
        words = f"test error {last['test_error']:.4g} with {100 * last['test_active']:.0f} % of codes active"
    words += f" after {last['epoch']} epoch{'s' * (last['epoch'] > 1)}, {last['seconds'] / 60:.1f} minutes"
    if conditions := last.get("step_conditions"):
        words += (
            f"\nstep * sigma_max by layer, at most 1 where ISTA converges: {'  '.join(f'{c:.3g}' for c in conditions)}"
        )
    return words
