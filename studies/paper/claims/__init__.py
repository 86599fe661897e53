"""Claims of the paper, measured, with a verdict on each."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from lgn.penalties import PENALTIES
from studies.paper.claims import actions, groups, structures
from studies.paper.claims.samples import Judge, Sample, judged, sample, together
from studies.paper.claims.statement import Statement, untested
from studies.paper.context import Context, NotRun
from studies.paper.runs import PENALTY_EPOCHS, classification, reconstruction
from studies.paper.summaries import smallest_singular_value

DATA = ("cifar10", "mnist")


def run(context: Context) -> list[Path]:
    """The claims of the paper, with a verdict on each (`claims.json`).

    Short runs over seeds of the preset `paper` on CIFAR-10 and MNIST, for both tasks, with each penalty, with free
    filters and as a plain CNN, next to the preset `released` and the long runs of the figures. A day, most of it for
    the wide networks of claim 14; with `--quick` every verdict is "not tested".
    """
    statements = measure(context)
    context.write_json("claims.json", {"quick": context.quick, "claims": [item.to_json() for item in statements]})
    return [context.out / "claims.json"]


def measure(context: Context) -> list[Statement]:
    classified = [sample(context, classification(data), free=True) for data in DATA]
    rebuilt = [sample(context, reconstruction(data), free=True) for data in DATA]
    cnn = [sample(context, classification(data, architecture="cnn"), free=True) for data in DATA]
    released = [sample(context, classification(data, "released"), free=True) for data in DATA]
    colour, grey = classified

    def on_colour(number: int, judge: Judge) -> Statement:
        return judged(number, judge, colour, released=released[0], data="cifar10")

    def on_both(number: int, judge: Judge) -> Statement:
        triples = zip(DATA, classified, released, strict=True)
        parts = {
            one.data: judged(number, judge, one, released=two, data=data) for data, one, two in triples if one.runs
        }
        return together(number, parts)

    tasks = [pair for pair in zip(classified, rebuilt, strict=True) if all(item.runs for item in pair)]
    statements = [
        on_colour(1, partial(structures.emergence, 1)),
        _on_mnist(grey, colour, released[1]),
        together(3, {pair[0].data: judged(3, actions.task_dependence, *pair) for pair in tasks}),
        on_colour(4, actions.between_random_and_circulant),
        on_colour(5, actions.composition_beats_parts),
        _if_measured(6, lambda: groups.penalty_times(context.read_json("runtime.json")["ratios"])),
        _penalties(context),
        on_both(8, groups.actions_form_groups),
        on_both(9, groups.what_is_identifiable),
        on_colour(10, actions.effects_on_identity),
        judged(11, actions.same_on_both, *rebuilt, colour),
        _if_measured(12, lambda: actions.products_of_learned(context.read_json("compositions.json"))),
        on_colour(13, structures.causal_averaging),
        groups.as_well_as_free(context, {"mnist": grey, "cifar10": colour}),
        _plain_cnn(cnn, classified),
    ]
    if not context.quick:
        return statements
    return [replace(item, verdict="not tested", released=item.released and "not tested") for item in statements]


def _on_mnist(grey: Sample, colour: Sample, released: Sample) -> Statement:
    statement = judged(2, partial(structures.emergence, 2), grey, released=released, data="mnist")
    if not (grey.runs and colour.runs):
        return statement
    nearest = [structures.nearest_operators(item.data, item.scores) for item in (colour, grey)]
    between = actions.between_data_sets(colour.scores, grey.scores)
    return replace(statement, details=(between, *nearest, *statement.details))


def _penalties(context: Context) -> Statement:
    names = [name for name in (*PENALTIES, "none") if name != "relations"]  # of a cyclic group they are closure
    samples = {name: sample(context, replace(classification("mnist"), penalty=name), PENALTY_EPOCHS) for name in names}
    found = {name: item for name, item in samples.items() if item.runs}
    if "none" not in found or len(found) == 1:
        return untested(7, "runs with or without a penalty are missing")
    title = "; ".join(dict.fromkeys(item.title for item in found.values()))
    smallest = {name: [smallest_singular_value(run) for run in item.runs] for name, item in found.items()}
    return groups.singular_values_kept(title, smallest, [name for name in names if name not in found])


def _plain_cnn(cnn: list[Sample], unfolded: list[Sample]) -> Statement:
    parts = {}
    for one, other in zip(cnn, unfolded, strict=True):
        if one.runs:
            statement = judged(15, structures.in_a_plain_cnn, one)
            lines = [_accuracies("the CNN", one)] + ([_accuracies("the unfolded network", other)] if other.runs else [])
            parts[one.data] = replace(statement, details=(*statement.details, *lines))
    return together(15, parts)


def _accuracies(network: str, of: Sample) -> str:
    return f"test accuracy of {network}, by run: {', '.join(f'{points:.2f} %' for points in of.points)}"


def _if_measured(number: int, state: Callable[[], Statement]) -> Statement:
    try:
        return state()
    except NotRun as reason:
        return untested(number, str(reason))
