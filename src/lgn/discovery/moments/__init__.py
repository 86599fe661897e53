"""Linear maps without names that preserve the moments of data."""

from lgn.discovery.moments.finder import discover_moments

__all__ = ["discover_moments"]
