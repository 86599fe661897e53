"""How often unknown linear maps are found in data that keep them, and claimed in data that do not.

    python -m studies.unknown --quick                       # 3 min, bundled data
    python -m studies.unknown --out results/unknown.json  # 60 min

Expected: no wrong claim, and all planted groups from 60,000 samples on, except permuted channels.
See docs/evidence/unknown.md.
"""

from studies.runner import declared
from studies.unknown import searches

STUDY = declared(
    __name__,
    "unknown",
    {
        "controls": searches.controls,
        "natural": searches.natural,
        "planted": searches.planted,
        "task": searches.task,
        "cost": searches.cost,
    },
    minutes=(3, 60),
)
