"""Groups with several generators: are they found, do they hold in depth, and what do they cost?

Expected: see docs/groups.md. `--quick` takes about a minute, everything about half an hour on two cores.
"""

from studies.groups import cost, depth, planted, views
from studies.groups.page import describe, page, write_page

MODULES = {"planted": planted, "views": views, "depth": depth, "cost": cost}

__all__ = ["MODULES", "describe", "page", "write_page"]
