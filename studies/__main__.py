"""Run a study, or list all of them. Pages in docs/evidence show their results.

python -m studies                                    # names, minutes, and files of results
python -m studies.groups --quick                     # on bundled data
python -m studies.groups --out results/groups.json
"""

import sys
from functools import partial

from studies.groups import cases as groups
from studies.inspection import cases as inspection
from studies.inspection import published
from studies.networks import cases as networks
from studies.recovery import labels, learned, planted, views
from studies.runner import Study, run
from studies.signals import cases as signals
from studies.speed import measure as speed
from studies.symmetry import cases as symmetry
from studies.symmetry import questions
from studies.truth import fits, matrices, power
from studies.unknown import searches as unknown

STUDIES = (
    Study(
        "symmetry",
        (4, 80),
        {
            "images": symmetry.planted,
            "later": symmetry.later,
            "slight": symmetry.slight,
            "left-right": questions.left_right,
            "tasks": questions.tasks,
            "few": symmetry.few,
            "gains": questions.gains,
            "angles": symmetry.angles,
            "partial": questions.partial_symmetries,
        },
    ),
    Study(
        "signals",
        (3, 35),
        {
            "planted": signals.planted_cells,
            "signals": signals.signal_cells,
            "volumes": signals.volume_cells,
            "outlines": signals.outline_cells,
        },
    ),
    Study(
        "unknown",
        (3, 60),
        {
            "controls": unknown.controls,
            "natural": unknown.natural,
            "planted": unknown.planted,
            "task": unknown.task,
            "cost": unknown.cost,
        },
    ),
    Study("networks", (3, 1000), {part: partial(networks.cells, part) for part in networks.PARTS}),
    Study(
        "inspection",
        (2, 20),
        {
            "unrelated": inspection.unrelated,
            "orbits": inspection.orbits,
            "balance": inspection.balance,
            "following": inspection.following,
            "published": published.published,
            "own": published.own,
        },
    ),
    Study(
        "recovery",
        (3, 60),
        {
            "planted": planted.planted_cells,
            "maximum": planted.maximum_cells,
            "views": views.cells,
            "labels": labels.cells,
            "learned": learned.cells,
        },
    ),
    Study(
        "groups",
        (1, 30),
        {
            "planted": groups.planted_cells,
            "views": groups.views_cells,
            "depth": groups.depth_cells,
            "cost": groups.cost_cells,
        },
    ),
    Study(
        "truth",
        (3, 40),
        {
            "matrices": matrices.cells,
            "models": power.model_cells,
            "power": power.power_cells,
            "fits": fits.cells,
            "search": power.search_cells,
        },
    ),
    Study("speed", (1, 12), {part: partial(speed.cells, part) for part in speed.PARTS}),
)


def main(name: str) -> None:
    """Run the study with this name, with the options of the command line."""
    run(next(study for study in STUDIES if study.name == name), sys.argv[1:])


if __name__ == "__main__":
    print(f"{'command':32}{'--quick':>10}{'all':>10}  results (--out)")
    for study in STUDIES:
        quick, full = (f"{minutes:g} min" for minutes in study.minutes)
        print(f"python -m studies.{study.name:15}{quick:>10}{full:>10}  results/{study.name}.json")
    print("python -m studies.paper          the paper's figures and claims")
    print("python -m studies.render         fill the tables of docs/evidence, README.md and results")
