"""Learn which linear groups a network wants.

Layers whose filters are orbits of a basis filter under a learned matrix, and numbers that say what the matrix does:
"Learning Linear Groups in Neural Networks" (Theodosis, Helwani and Ba), as a library.
"""

from lgn import (
    algebra,
    data,
    discovery,
    generators,
    groups,
    measures,
    memory,
    nn,
    operators,
    penalties,
    pretrained,
    training,
)
from lgn.algebra import act, orbit, power, unvec, vec
from lgn.analysis import Analysis
from lgn.discovery import discover_from_data, discover_from_views, fit_from_pairs, fit_generator
from lgn.front import analyze, load, write_report
from lgn.measures import (
    closure_error,
    condition_number,
    equivariance_error,
    inverse_error,
    orthogonality_error,
)
from lgn.nn import convert, merge, summary
from lgn.pretrained import load_pretrained, pretrained_names
from lgn.version import __version__

__all__ = [
    "Analysis",
    "__version__",
    "act",
    "algebra",
    "analyze",
    "closure_error",
    "condition_number",
    "convert",
    "data",
    "discover_from_data",
    "discover_from_views",
    "discovery",
    "equivariance_error",
    "fit_from_pairs",
    "fit_generator",
    "generators",
    "groups",
    "inverse_error",
    "load",
    "load_pretrained",
    "measures",
    "memory",
    "merge",
    "nn",
    "operators",
    "orbit",
    "orthogonality_error",
    "penalties",
    "power",
    "pretrained",
    "pretrained_names",
    "summary",
    "training",
    "unvec",
    "vec",
    "write_report",
]
