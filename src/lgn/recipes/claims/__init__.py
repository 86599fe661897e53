"""Claims: what the paper says, measured, with a verdict on each.

    lgn reproduce claims

Short runs over seeds of the preset `paper` on CIFAR-10 and MNIST, for both tasks, with each penalty, with free filters
and as a plain CNN; the same with the preset `released`, and the long runs of the figures, stand beside them.
Expected: a page of verdicts. About a day on two cores, most of it for the wide networks of claim 14; `--existing`:
minutes, on the runs that are finished; `--quick`: three minutes on digits, where every verdict is "not tested".
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from lgn.recipes.claims import actions, groups, structures
from lgn.recipes.claims.accuracy import as_well_as_free
from lgn.recipes.claims.document import document
from lgn.recipes.claims.samples import Sample, judged, sample
from lgn.recipes.claims.statement import Statement, Verdict, untested
from lgn.recipes.context import TITLES, Context, NotRun
from lgn.recipes.runs import PENALTY_EPOCHS, classification, reconstruction
from lgn.training.config import PenaltyName
from lgn.training.files import write_whole


def run(context: Context) -> list[Path]:
    statements = measure(context)
    used = " A quick reproduction: every number is of the embedded digits, a run each." if context.quick else ""
    context.write_json("claims.json", {"quick": context.quick, "claims": [each.to_json() for each in statements]})
    page = context.out / "claims.md"
    write_whole(page, document(statements, used).encode())
    return [page]


def measure(context: Context) -> list[Statement]:
    """All claims, in the paper's order."""
    colour, grey = (sample(context, classification(data)) for data in ("cifar10", "mnist"))
    rebuilt_colour, rebuilt_grey = (sample(context, reconstruction(data)) for data in ("cifar10", "mnist"))
    cnn_colour, cnn_grey = (sample(context, classification(data, architecture="cnn")) for data in ("cifar10", "mnist"))
    released_colour, released_grey = (
        sample(context, classification(data, "released")) for data in ("cifar10", "mnist")
    )
    on_colour: dict[str, Any] = {"beside": released_colour, "alone": ("cifar10",)}
    on_both: dict[str, Any] = {"beside": released_colour + released_grey, "alone": ("cifar10", "mnist")}
    statements = [
        judged(1, partial(structures.emergence, 1), colour, **on_colour),
        _on_mnist(grey, colour, released_grey),
        _task_dependence((colour, rebuilt_colour), (grey, rebuilt_grey)),
        judged(4, actions.between_random_and_circulant, colour, **on_colour),
        judged(5, actions.composition_beats_parts, colour, **on_colour),
        _if_measured(6, lambda: groups.penalty_times(context.read_json("runtime.json")["ratios"])),
        _penalties(context),
        judged(8, groups.actions_form_groups, colour + grey, **on_both),
        judged(9, groups.what_is_identifiable, colour + grey, **on_both),
        judged(10, actions.effects_on_identity, colour, **on_colour),
        judged(11, structures.same_on_both, rebuilt_colour, rebuilt_grey, colour),
        _if_measured(12, lambda: _products(context)),
        judged(13, structures.causal_averaging, colour, **on_colour),
        as_well_as_free(context, {"mnist": grey, "cifar10": colour}),
        _plain_cnn(cnn_colour + cnn_grey, colour + grey),
    ]
    if not context.quick:
        return statements
    return [replace(each, verdict="not tested", released=each.released and "not tested") for each in statements]


def _on_mnist(grey: Sample, colour: Sample, released: Sample) -> Statement:
    """Claim 2, and how the actions of both data sets compare."""
    statement = judged(2, partial(structures.emergence, 2), grey, beside=released, alone=("mnist",))
    if not (grey.runs and colour.runs):
        return statement
    alike = structures.resemblance(colour.analyses, grey.analyses)
    return replace(statement, details=(*alike, *statement.details))


def _task_dependence(*pairs: tuple[Sample, Sample]) -> Statement:
    """Claim 3 on each data set by itself: a sample of two could differ by its share of either."""
    parts = {
        TITLES[pair[0].runs[0].config.data]: judged(3, structures.task_dependence, *pair)
        for pair in pairs
        if all(each.runs for each in pair)
    }
    if not parts:
        return untested(3, "runs of both tasks on one data set are missing")
    verdicts = {each.verdict for each in parts.values()}
    seen = verdicts & {"holds", "holds in part"}
    verdict: Verdict = verdicts.pop() if len(verdicts) == 1 else "holds in part" if seen else "not seen"
    return replace(
        next(iter(parts.values())),
        runs="; ".join(each.runs for each in parts.values()),
        effect="; ".join(f"{data}: {each.effect}" for data, each in parts.items()),
        verdict=verdict,
        details=tuple(f"{data}: {detail}" for data, each in parts.items() for detail in each.details),
    )


def _penalties(context: Context) -> Statement:
    """Claim 7, on the penalties that there are runs of."""
    names = get_args(PenaltyName)
    samples = {
        name: sample(context, replace(classification("mnist"), penalty=name), PENALTY_EPOCHS, 3) for name in names
    }
    found = {name: each for name, each in samples.items() if each.runs}
    if "none" not in found or len(found) == 1:
        return untested(7, "runs with or without a penalty are missing")
    words = "; ".join(dict.fromkeys(each.words for each in found.values()))
    smallest = {
        name: [groups.smallest_singular_value(run.model()) for run in each.runs] for name, each in found.items()
    }
    return groups.singular_values_kept(words, smallest, [name for name in names if name not in found])


def _products(context: Context) -> Statement:
    learned, _, patches = context.operators()
    return actions.products_of_learned(learned, patches)


def _plain_cnn(cnn: Sample, unfolded: Sample) -> Statement:
    """Claim 15, and the accuracy of both networks."""
    statement = judged(15, structures.in_a_plain_cnn, cnn)
    if not cnn.runs:
        return statement
    accuracies = [
        f"test accuracy of {words}, by run: {', '.join(f'{100 * each:.2f} %' for each in of.accuracies)}"
        for words, of in (("the CNN", cnn), ("the unfolded network", unfolded))
        if of.runs
    ]
    return replace(statement, details=(*statement.details, *accuracies))


def _if_measured(number: int, state: Callable[[], Statement]) -> Statement:
    """A statement on something other than runs, which may not be there."""
    try:
        return state()
    except NotRun as reason:
        return untested(number, str(reason))
