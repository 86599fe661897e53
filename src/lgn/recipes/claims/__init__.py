"""Claims: what the paper says, measured, with a verdict on each.

    lgn reproduce claims

Short runs over seeds of the preset `paper` on CIFAR-10 and MNIST, for both tasks and with each penalty. Expected: a
page of verdicts. About four hours on two cores; `--quick`: two minutes on digits, where every verdict that needs
another data set is "not tested".
"""

from dataclasses import replace
from pathlib import Path
from typing import get_args

from lgn.analysis import Analysis
from lgn.recipes.claims import actions, groups, structures
from lgn.recipes.claims.document import document
from lgn.recipes.claims.statement import Statement
from lgn.recipes.context import Context
from lgn.recipes.runs import PENALTY_EPOCHS, classification, reconstruction, seeds_of
from lgn.training import Config
from lgn.training.config import PenaltyName
from lgn.training.files import read_json, write_whole


def run(context: Context) -> list[Path]:
    statements = measure(context)
    used = "A quick reproduction: every number is of the embedded digits, a run each." if context.quick else ""
    context.write_json("claims.json", {"quick": context.quick, "claims": [each.to_json() for each in statements]})
    page = context.out / "claims.md"
    write_whole(page, document(statements, used).encode())
    return [page]


def measure(context: Context) -> list[Statement]:
    """All claims, in the paper's order."""
    tested = not context.quick
    colour, grey = (_analyses(context, classification(data)) for data in ("cifar10", "mnist"))
    rebuilt_colour, rebuilt_grey = (_analyses(context, reconstruction(data)) for data in ("cifar10", "mnist"))
    by_penalty = {
        name: _analyses(context, replace(classification("mnist"), penalty=name), PENALTY_EPOCHS, 3)
        for name in get_args(PenaltyName)
    }
    of_colour, of_grey, of_both = _words(context, "CIFAR-10"), _words(context, "MNIST"), _words(context, "both")
    emerge = "Skew-symmetric, Toeplitz and multi-scale actions emerge for classification on CIFAR-10."
    learned, _, patches = context.operators()
    timing = context.out / "runtime.json"
    return [
        structures.emergence(1, emerge, of_colour, colour, tested),
        structures.emergence(2, "The same structures emerge on MNIST.", of_grey, grey, tested),
        structures.task_dependence(of_both, colour + grey, rebuilt_colour + rebuilt_grey, tested),
        actions.between_random_and_circulant(of_colour, colour, tested),
        actions.composition_beats_parts(of_colour, colour, tested),
        groups.penalty_times(read_json(timing)["ratios"] if timing.is_file() else None, tested),
        groups.singular_values_kept(of_grey, by_penalty, tested),
        groups.actions_form_groups(of_both, colour + grey, tested),
        groups.what_is_identifiable(of_both, colour + grey, tested),
        actions.effects_on_identity(of_colour, colour, tested),
        structures.same_on_both(of_both, rebuilt_colour, rebuilt_grey, colour, tested),
        actions.products_of_learned(learned, patches, tested),
        structures.causal_averaging(of_colour, colour, tested),
        Statement(14, "The group does as well as free filters.", "none", "not measured yet", "", "not tested"),
        Statement(15, "Any architecture will do: a plain CNN.", "none", "not measured yet", "", "not tested"),
    ]


def _analyses(context: Context, config: Config, epochs: int | None = None, seeds: int | None = None) -> list[Analysis]:
    """The analyses of short runs over seeds; of one in a quick reproduction."""
    configs = seeds_of(config, 1 if context.quick else seeds)
    if epochs is not None:
        configs = [replace(each, epochs=epochs) for each in configs]
    return [context.analysis(context.train(each)) for each in configs]


def _words(context: Context, data: str) -> str:
    used = "digits" if context.quick else "CIFAR-10 and MNIST" if data == "both" else data
    return f"preset paper, orthogonal start, {used}"
