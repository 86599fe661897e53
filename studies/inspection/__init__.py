"""Inspection: is a group found where there is one, and none where there is none?

Expected: see docs/inspect.md. `--quick` takes under a minute, everything about ten minutes on two cores.
"""

from studies.inspection import balanced, following, planted, unrelated
from studies.inspection.page import describe, page

MODULES = {"unrelated": unrelated, "orbits": planted, "balance": balanced, "following": following}

__all__ = ["MODULES", "describe", "page"]
