"""Do the numbers hold? Cases without anything to find, and cases with it, through the functions that users call.

Expected: see docs/truth.md. `--quick` takes under 3 minutes, everything about half an hour on two cores.
"""

from studies.truth import fits, matrices, models, power, search
from studies.truth.page import describe, page, rows

MODULES = {"matrices": matrices, "models": models, "power": power, "fits": fits, "search": search}

__all__ = ["MODULES", "describe", "page", "rows"]
