"""What the benchmark found, as tables for people and as `docs/recovery.md`."""

from collections import Counter
from typing import Any

from lgn.text import markdown_table
from studies.tables import Cells, by_part, values, where

PAGE = """# Recovery: is a symmetry found that is there, and none where there is none?

Made by `lgn benchmark recovery` from `results/recovery.json`. Every cell is one task, one method and one seed; *paper*
is the paper's own setting on the same task: a dense generator per set, the inverse penalty, backpropagation.

{tables}
"""

PLANTED = """## Planted

The learner sees {patches} patches of 6x6 and the responses of filters `phi^j W_k`, order 4, never the filters. The bank
is estimated by least squares, then the generator in closed form. Errors are `|(A' - A) P_U| / |A P_U|` on the
identifiable subspace U, the worst of the seeds; *found* counts those of at most 1e-3. `procrustes` assumes that A is
orthogonal, which three of the seven are."""

MAXIMUM = """## Through a maximum

Only the largest response of each set is seen: max-affine regression, then the order within sets, then least squares.
Errors are relative, to the generator or its inverse; for *paper*, of the nearest of its generators."""

VIEWS = """## Views

300 images, each seen 8 times under unknown elements of a group, without labels: is the dimension of the group algebra
right, and how far is the generator (or its inverse)? A dimension of 1 says that no symmetry was found: right for
unrelated views, and all that can be said of uniform angles, where no orbit is complete. *paper* claims nothing by
itself: the nearest of its generators is given."""

LABELS = """## Labels

A group layer of 24 sets of order 4 on digits of 14x14, pooled over each set, then over the image. *known* has the
quarter turn, *free* as many filters without a group, *affine* finds its generator from 8 starting angles by short
trainings, and is then trained anew with it frozen. One half of 2,000 validation images chooses the start; a symmetry
is claimed where five trainings of it with fresh seeds beat five of free filters on the other half, by Student's t and
the larger of two standard errors (over seeds, over images), at a level that claims one at most 2 times in 100 where
there is none."""


LEARNED = """## Learned

The network of *labels* with one generator for its layer, learned by backpropagation through a loss on moments of
patches, class by class ([learned](learned.md)). With one start generator and network learn together from the first
step; with more, the best start is judged by images that taught it nothing, and what they keep (*claimed*) is given to a
new network, frozen. *Found* is a relative error below 0.1 to a generator of the group that was planted. What is claimed
is analysed too: *finding* is the nearest known operator, where it is beyond nulls that keep smoothness. Where the
label is the turn, no class keeps it, and nothing is to be claimed. Starts and steps were fixed with seed 100."""


def page(result: dict[str, Any]) -> str:
    """The document of a measurement."""
    return PAGE.format(tables=describe(result))


def describe(result: dict[str, Any]) -> str:
    """The tables of all parts that were measured."""
    parts = {"planted": _planted, "maximum": _maximum, "views": _views, "labels": _labels, "learned": _learned}
    return by_part(result, parts)


def _planted(cells: Cells) -> str:
    texts = [PLANTED.format(patches="20,000")]
    for noise in values(cells, "noise"):
        here = [cell for cell in cells if cell["key"]["noise"] == noise]
        columns = [(m, k) for m in values(here, "method") for k in values(here, "sets")]
        rows = []
        for task in values(here, "task"):
            row = [task]
            for method, sets in columns:
                errors = [cell["error"] for cell in where(here, task=task, method=method, sets=sets)]
                hits = f", {sum(error <= 1e-3 for error in errors)} of {len(errors)}" if noise == 0 else ""
                row.append(f"{max(errors):.1e}{hits}" if errors else "")
            rows.append(row)
        title = "Without noise: worst error, found" if noise == 0 else f"With noise of {noise:.0%}: worst error"
        texts.append(f"{title}.\n\n" + markdown_table(["task", *(f"{m}, K={k}" for m, k in columns)], rows))
    return "\n\n".join(texts)


def _maximum(cells: Cells) -> str:
    rows = [
        [
            f"{key['task']}, K={key['sets']}, seed {key['seed']}",
            key["method"],
            _number(cell["error"]),
            "" if cell["solved_sets"] is None else f"{cell['solved_sets']} of {key['sets']}",
            f"{cell['processor_seconds']:.1f}",
        ]
        for cell in cells
        for key in [cell["key"]]
    ]
    return MAXIMUM + "\n\n" + markdown_table(["task", "method", "error", "sets solved", "seconds"], rows)


def _views(cells: Cells) -> str:
    rows = []
    for data in values(cells, "data"):
        for task in values(cells, "task"):
            ours = where(cells, data=data, task=task, method="commutators")
            if not ours:
                continue
            errors = [cell["error"] for cell in ours if cell["error"] is not None]
            nearest = [cell["error"] for cell in where(cells, data=data, task=task, method="paper")]
            rows.append(
                [
                    f"{data}, {task}",
                    f"{sum(cell['right_dimension'] for cell in ours)} of {len(ours)}",
                    ", ".join(sorted({str(cell["dimension"]) for cell in ours})),
                    f"{min(c['eigengap'] for c in ours):.2g} to {max(c['eigengap'] for c in ours):.2g}",
                    _number(max(errors)) if errors else "none claimed",
                    _number(nearest[0]) if nearest else "",
                ]
            )
    heads = ["task", "right dimension", "dimension", "eigengap", "worst error", "paper's nearest"]
    return VIEWS + "\n\n" + markdown_table(heads, rows)


def _labels(cells: Cells) -> str:
    rows, found = [], []
    for task in values(cells, "task"):
        for method in values(cells, "method"):
            here = where(cells, task=task, method=method)
            if not here:
                continue
            accuracies = [100 * cell["accuracy"] for cell in here]
            rows.append(
                [
                    task,
                    method,
                    f"{sum(accuracies) / len(accuracies):.1f}",
                    f"{min(accuracies):.1f} to {max(accuracies):.1f}",
                    f"{here[0]['parameters']:,}",
                ]
            )
            found += [
                [
                    f"{task}, seed {cell['key']['seed']}",
                    f"{cell['degrees']:.2f}",
                    f"{min(cell['retrained_degrees']):.1f} to {max(cell['retrained_degrees']):.1f}",
                    f"{cell['scale']:.3f}",
                    f"{cell['stretch']:.3f}",
                    f"{cell['shear']:.3f}",
                    f"{100 * cell['advantage']:+.1f} +- {100 * cell['standard_error']:.1f}",
                    _number(cell["p_value"]),
                    "yes" if cell["claimed"] else "no",
                ]
                for cell in here
                if "degrees" in cell
            ]
    accuracy = markdown_table(["images", "method", "accuracy", "of all seeds", "parameters"], rows)
    heads = ["images", "degrees", "of fresh seeds", "scale", "stretch", "shear", "points above free", "p", "claimed"]
    return f"{LABELS}\n\n{accuracy}\n\nWhat *affine* found:\n\n{markdown_table(heads, found)}"


def _learned(cells: Cells) -> str:
    rows = []
    for task in values(cells, "task"):
        for method, starts in dict.fromkeys((cell["key"]["method"], cell["key"]["starts"]) for cell in cells):
            here = where(cells, task=task, method=method, starts=starts)
            if not here:
                continue
            accuracies = [100 * cell["accuracy"] for cell in here if cell["accuracy"] is not None]
            verdicts = [cell["verdict"] for cell in here if "verdict" in cell]
            rows.append(
                [
                    task,
                    method,
                    str(starts),
                    f"{sum(accuracies) / len(accuracies):.1f}" if accuracies else "",
                    f"{min(accuracies):.1f} to {max(accuracies):.1f}" if accuracies else "",
                    f"{sum(cell['error'] < 0.1 for cell in here)} of {len(here)}",
                    f"{min(cell['error'] for cell in here):.3f} to {max(cell['error'] for cell in here):.3f}",
                    f"{verdicts.count('kept')} of {len(verdicts)}" if verdicts else "",
                    _findings(here),
                ]
            )
    heads = [
        "images",
        "family",
        "starts",
        "accuracy",
        "of all seeds",
        "found",
        "errors",
        "claimed",
        "finding",
    ]
    return LEARNED + "\n\n" + markdown_table(heads, rows)


def _findings(cells: Cells) -> str:
    """The operator that an analysis finds in what was claimed, beyond all nulls, and in how many of how many."""
    about = [cell for cell in cells if "nearest" in cell]
    counts = Counter(cell["nearest"][0] for cell in about if cell["nearest_p"][0] <= 0.05)
    return ", ".join(f"{name} {count} of {len(about)}" for name, count in counts.most_common())


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.1e}"
