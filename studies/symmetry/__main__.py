"""How often verdicts on images are right, for symmetries that were planted.

    python -m studies.symmetry --quick                       # 4 min, bundled data
    python -m studies.symmetry --out results/symmetry.json  # 80 min

Expected: at 10,000 images no false *kept*, at most 1 in 100 false *broken*, at least 95 in 100 right.
See docs/evidence/symmetry.md.
"""

from studies.runner import declared
from studies.symmetry import cases, questions

STUDY = declared(
    __name__,
    "symmetry",
    {
        "images": cases.planted,
        "later": cases.later,
        "slight": cases.slight,
        "left-right": questions.left_right,
        "tasks": questions.tasks,
        "few": cases.few,
        "gains": questions.gains,
        "angles": cases.angles,
        "partial": questions.partial_symmetries,
    },
    minutes=(4, 80),
)
