"""Are symmetries of images kept where they are planted, and broken where they are not?

Expected: see docs/symmetry.md. `--quick` takes about 3 minutes, everything about an hour on one thread.
"""

from lgn.benchmarks.symmetry import angles, few, gains, images, later, left_right, partial, slight, tasks
from lgn.benchmarks.symmetry.page import describe, page, rates

MODULES = {
    "images": images,
    "later": later,
    "slight": slight,
    "left-right": left_right,
    "tasks": tasks,
    "few": few,
    "gains": gains,
    "angles": angles,
    "partial": partial,
}

__all__ = ["MODULES", "describe", "page", "rates"]
