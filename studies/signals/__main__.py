"""How often operators are recovered, and verdicts are right, on signals and volumes.

    python -m studies.signals --quick                       # 3 min, bundled data
    python -m studies.signals --out results/signals.json  # 35 min

Expected: no wrong verdict on planted symmetries.
See docs/evidence/signals.md.
"""

from studies.runner import declared
from studies.signals import cases

STUDY = declared(
    __name__,
    "signals",
    {
        "planted": cases.planted_cells,
        "signals": cases.signal_cells,
        "volumes": cases.volume_cells,
        "outlines": cases.outline_cells,
    },
    minutes=(3, 35),
)
