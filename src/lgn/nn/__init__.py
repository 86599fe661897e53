"""Layers and networks whose filters are orbits of learned linear groups."""

from lgn.nn.bank import FreeBank, OrbitBank, cached, project
from lgn.nn.convert import Conversion, convert
from lgn.nn.equivariance import EquivarianceTable, equivariance_table
from lgn.nn.group_net import GroupNet
from lgn.nn.group_stack import BrokenEquivarianceWarning, GroupStackConv2d, SetBatchNorm2d, advance, pool_sets
from lgn.nn.invariance import invariance_error
from lgn.nn.layers import GroupConv2d, GroupLinear
from lgn.nn.merge import merge
from lgn.nn.models import Autoencoder, Classifier
from lgn.nn.orbit_conv import OrbitConv2d
from lgn.nn.places import Place, places
from lgn.nn.summary import Summary, summary
from lgn.nn.threshold import soft_threshold
from lgn.nn.unfolded import UnfoldedEncoder

__all__ = [
    "Autoencoder",
    "BrokenEquivarianceWarning",
    "Classifier",
    "Conversion",
    "EquivarianceTable",
    "FreeBank",
    "GroupConv2d",
    "GroupLinear",
    "GroupNet",
    "GroupStackConv2d",
    "OrbitBank",
    "OrbitConv2d",
    "Place",
    "SetBatchNorm2d",
    "Summary",
    "UnfoldedEncoder",
    "advance",
    "cached",
    "convert",
    "equivariance_table",
    "invariance_error",
    "merge",
    "places",
    "pool_sets",
    "project",
    "soft_threshold",
    "summary",
]
