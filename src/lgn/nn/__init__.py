"""Layers and networks whose filters are orbits of learned linear groups."""

from lgn.nn.bank import FreeBank, OrbitBank, cached, project
from lgn.nn.conversion import Conversion
from lgn.nn.convert import convert
from lgn.nn.equivariance import EquivarianceTable, equivariance_table
from lgn.nn.gates import Gates
from lgn.nn.group_net import GroupNet
from lgn.nn.group_stack import (
    BrokenEquivarianceWarning,
    GroupStackConv1d,
    GroupStackConv2d,
    GroupStackConv3d,
    SetBatchNorm1d,
    SetBatchNorm2d,
    SetBatchNorm3d,
    advance,
    pool_sets,
)
from lgn.nn.invariance import invariance_error
from lgn.nn.layers import GroupConv1d, GroupConv2d, GroupConv3d
from lgn.nn.linear import GroupLinear
from lgn.nn.merge import merge
from lgn.nn.models import Autoencoder, Classifier
from lgn.nn.orbit_conv import OrbitConv2d
from lgn.nn.places import Place, places
from lgn.nn.plain_cnn import PlainCNN
from lgn.nn.summary import Summary, summary
from lgn.nn.threshold import soft_threshold
from lgn.nn.transposed import GroupConvTranspose1d, GroupConvTranspose2d, GroupConvTranspose3d
from lgn.nn.unfolded import UnfoldedEncoder

__all__ = [
    "Autoencoder",
    "BrokenEquivarianceWarning",
    "Classifier",
    "Conversion",
    "EquivarianceTable",
    "FreeBank",
    "Gates",
    "GroupConv1d",
    "GroupConv2d",
    "GroupConv3d",
    "GroupConvTranspose1d",
    "GroupConvTranspose2d",
    "GroupConvTranspose3d",
    "GroupLinear",
    "GroupNet",
    "GroupStackConv1d",
    "GroupStackConv2d",
    "GroupStackConv3d",
    "OrbitBank",
    "OrbitConv2d",
    "Place",
    "PlainCNN",
    "SetBatchNorm1d",
    "SetBatchNorm2d",
    "SetBatchNorm3d",
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
