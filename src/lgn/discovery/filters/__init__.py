"""Generators and groups estimated from filters, from pairs, from views and from the moments of patches."""

from lgn.discovery.filters.from_bank import fit_generator
from lgn.discovery.filters.from_pairs import fit_from_pairs
from lgn.discovery.filters.from_views import discover_from_views
from lgn.discovery.filters.learned import learn_generator
from lgn.discovery.filters.lifting import lift
from lgn.discovery.filters.record import Fit

__all__ = ["Fit", "discover_from_views", "fit_from_pairs", "fit_generator", "learn_generator", "lift"]
