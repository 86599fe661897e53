"""Are symmetries of images kept where they are planted, and broken where they are not?

Expected: see docs/symmetry.md. `--quick` takes about 3 minutes, everything about an hour on one thread.
"""

from lgn.benchmarks.symmetry.page import describe, page, rates
from lgn.benchmarks.symmetry.parts import MODULES

__all__ = ["MODULES", "describe", "page", "rates"]
