"""Signals and volumes: are planted operators recovered, and planted symmetries kept, and others broken?

Expected: see docs/signals.md. `--quick` takes about 3 minutes, everything about half an hour on one thread.
"""

from studies.signals import planted, signals, volumes
from studies.signals.page import describe, page

MODULES = {"planted": planted, "signals": signals, "volumes": volumes}

__all__ = ["MODULES", "describe", "page"]
