"""Finding the symmetry: from a bank of filters, pairs, views, or the moments of data; many starts."""

from lgn.discovery.filters.fit import Fit, fit_generator
from lgn.discovery.filters.group_fit import GroupFit
from lgn.discovery.filters.learned import Learned, learn_generator, random_generators
from lgn.discovery.filters.lift import Lifted, lift, lift_bank
from lgn.discovery.filters.pairs import PairFit, fit_from_pairs
from lgn.discovery.filters.responses import bank_from_maxima, bank_from_responses
from lgn.discovery.filters.snap import Snap, snap
from lgn.discovery.filters.start_search import Search, Trial, search_starts, spread_angles
from lgn.discovery.filters.views import ViewSymmetry, discover_from_views

__all__ = [
    "Fit",
    "GroupFit",
    "Learned",
    "Lifted",
    "PairFit",
    "Search",
    "Snap",
    "Trial",
    "ViewSymmetry",
    "bank_from_maxima",
    "bank_from_responses",
    "discover_from_views",
    "fit_from_pairs",
    "fit_generator",
    "learn_generator",
    "lift",
    "lift_bank",
    "random_generators",
    "search_starts",
    "snap",
    "spread_angles",
]
