"""Is a network that is built on found symmetries better than one with free filters, at equal parameters?

Expected: see docs/networks.md. `--quick` takes about 3 minutes, everything about 2.5 hours on one thread. Trainings are
run directories beside the file of `--out`, so a benchmark that was stopped goes on where it was, and several processes
can share one.
"""

from studies.networks.cases import PARTS
from studies.networks.page import describe, page, write_curve
from studies.networks.rows import measure_rows

__all__ = ["PARTS", "describe", "measure_rows", "page", "write_curve"]
