"""How well groups with several generators are recovered, hold in deep networks, and what they cost.

    python -m studies.groups --quick                       # 1 min, bundled data
    python -m studies.groups --out results/groups.json  # 30 min

Expected: errors near rounding without noise, and the right group from nearly all views.
See docs/evidence/groups.md.
"""

from studies.groups.cases import cost_cells, depth_cells, planted_cells, views_cells
from studies.runner import declared

STUDY = declared(
    __name__,
    "groups",
    {"planted": planted_cells, "views": views_cells, "depth": depth_cells, "cost": cost_cells},
    minutes=(1, 30),
)
