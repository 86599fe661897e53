"""How often an analysis claims something that is not there, and how often it finds what is there.

    python -m studies.truth --quick                       # 3 min, bundled data
    python -m studies.truth --out results/truth.json  # 40 min

Expected: every rate within its bound, and planted structures found, except multi-scale ones.
See docs/evidence/truth.md.
"""

from studies.runner import declared
from studies.truth import fits, matrices, power

STUDY = declared(
    __name__,
    "truth",
    {
        "matrices": matrices.cells,
        "models": power.model_cells,
        "power": power.power_cells,
        "fits": fits.cells,
        "search": power.search_cells,
    },
    minutes=(3, 40),
)
