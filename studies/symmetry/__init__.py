"""Are symmetries of images kept where they are planted, and broken where they are not?

Expected: see docs/symmetry.md. `--quick` takes about 3 minutes, everything about an hour on one thread.
"""

from studies.symmetry.page import describe, page, rates
from studies.symmetry.parts import MODULES

__all__ = ["MODULES", "describe", "page", "rates"]
