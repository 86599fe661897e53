"""Unknown symmetries: are they found where they are, and none where there are none?

Expected: see docs/unknown.md. `--quick` takes under 3 minutes, everything about 40 minutes of one processor.
"""

from studies.unknown import controls, cost, natural, planted, refused, task
from studies.unknown.page import describe, page, write_page

MODULES = {"controls": controls, "natural": natural, "planted": planted, "task": task, "cost": cost, "refused": refused}

__all__ = ["MODULES", "describe", "page", "write_page"]
