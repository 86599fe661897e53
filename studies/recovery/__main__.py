"""How often a planted generator is recovered from filters, images or labels.

    python -m studies.recovery --quick                       # 3 min, bundled data
    python -m studies.recovery --out results/recovery.json  # 60 min

Expected: closed-form methods recover what the data determine, and the paper's training recovers nothing.
See docs/evidence/recovery.md.
"""

from studies.recovery import labels, learned, planted, views
from studies.runner import declared

STUDY = declared(
    __name__,
    "recovery",
    {
        "planted": planted.planted_cells,
        "maximum": planted.maximum_cells,
        "views": views.cells,
        "labels": labels.cells,
        "learned": learned.cells,
    },
    minutes=(3, 60),
)
