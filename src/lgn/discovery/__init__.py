"""Finding the symmetry: from a bank of filters, pairs, views, or the moments of data; many starts."""

from lgn.discovery.determined import UndeterminedWarning, determined_dimension, warn_undetermined
from lgn.discovery.fit import Fit, fit_generator
from lgn.discovery.group_fit import GroupFit
from lgn.discovery.judge import Judgement, judge
from lgn.discovery.learned import Learned, learn_generator, random_generators
from lgn.discovery.lift import Lifted, lift, lift_bank
from lgn.discovery.moments import DataSymmetry, Element, LieGenerator, discover_from_data
from lgn.discovery.pairs import PairFit, fit_from_pairs
from lgn.discovery.rates import parameter_groups
from lgn.discovery.responses import bank_from_maxima, bank_from_responses
from lgn.discovery.snap import Snap, snap
from lgn.discovery.start_search import Search, Trial, search_starts, spread_angles
from lgn.discovery.views import ViewSymmetry, discover_from_views

__all__ = [
    "DataSymmetry",
    "Element",
    "Fit",
    "GroupFit",
    "Judgement",
    "Learned",
    "LieGenerator",
    "Lifted",
    "PairFit",
    "Search",
    "Snap",
    "Trial",
    "UndeterminedWarning",
    "ViewSymmetry",
    "bank_from_maxima",
    "bank_from_responses",
    "determined_dimension",
    "discover_from_data",
    "discover_from_views",
    "fit_from_pairs",
    "fit_generator",
    "judge",
    "learn_generator",
    "lift",
    "lift_bank",
    "parameter_groups",
    "random_generators",
    "search_starts",
    "snap",
    "spread_angles",
    "warn_undetermined",
]
