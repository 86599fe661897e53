"""How well groups with several generators are recovered, hold in deep networks, and what they cost.

    python -m studies.groups --quick                       # 1 min, bundled data
    python -m studies.groups --out results/groups.json  # 30 min

Expected: errors near rounding without noise, and the right group from nearly all views.
See docs/evidence/groups.md.
"""

from studies.groups import cost, depth, planted, views
from studies.runner import Study, main

STUDY = Study(
    "groups",
    {"planted": planted.cells, "views": views.cells, "depth": depth.cells, "cost": cost.cells},
    minutes=(1, 30),
)

if __name__ == "__main__":
    main(STUDY)
