"""Is a planted symmetry found, and none where there is none? Tasks x methods x seeds, with the time of each.

Expected: see docs/recovery.md. `--quick` takes under 3 minutes, a full part under 45 on two cores.
"""

from studies.recovery import labels, learned, maximum, planted, views
from studies.recovery.page import describe, page
from studies.recovery.trials_page import page as learned_page

MODULES = {"planted": planted, "maximum": maximum, "views": views, "labels": labels, "learned": learned}

__all__ = ["MODULES", "describe", "learned_page", "page"]
