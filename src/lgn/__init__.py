"""Find the symmetries of data, functions and networks, and build networks that respect them.

The package implements "Learning Linear Groups in Neural Networks" (Theodosis, Helwani and Ba): layers whose filter sets
are orbits of basis filters under learned generators, and measurements of the generators.
"""

from lgn import actions, data, discovery, generators, groups, measures, nn, penalties, pretrained, training, transforms
from lgn.actions import act, orbit, power, unvec, vec
from lgn.analysis import Analysis
from lgn.answer import Answer, Row
from lgn.deploy import build, export, predict
from lgn.discovery.filters import discover_from_views, fit_from_pairs, fit_generator
from lgn.discovery.networks import convert_found, inspect
from lgn.front import analyze, discover, load, write_report
from lgn.measures import closure_error, condition_number, equivariance_error, inverse_error, orthogonality_error
from lgn.nn import convert, equivariance_table, merge, summary
from lgn.pretrained import load_pretrained, pretrained_names
from lgn.transforms import Transformation
from lgn.version import __version__
from lgn.warning import LgnWarning

__all__ = [
    "Analysis",
    "Answer",
    "LgnWarning",
    "Row",
    "Transformation",
    "__version__",
    "act",
    "actions",
    "analyze",
    "build",
    "closure_error",
    "condition_number",
    "convert",
    "convert_found",
    "data",
    "discover",
    "discover_from_views",
    "discovery",
    "equivariance_error",
    "equivariance_table",
    "export",
    "fit_from_pairs",
    "fit_generator",
    "generators",
    "groups",
    "inspect",
    "inverse_error",
    "load",
    "load_pretrained",
    "measures",
    "merge",
    "nn",
    "orbit",
    "orthogonality_error",
    "penalties",
    "power",
    "predict",
    "pretrained",
    "pretrained_names",
    "summary",
    "training",
    "transforms",
    "unvec",
    "vec",
    "write_report",
]
