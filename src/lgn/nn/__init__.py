"""Layers and networks whose filters are orbits of finite groups, with learned or given generators."""

from lgn.nn.bank import FreeBank, OrbitBank, cached, project
from lgn.nn.class_head import ClassHead
from lgn.nn.converting import Conversion, FilterErrorWarning, convert
from lgn.nn.determined import UndeterminedWarning, determined_dimension
from lgn.nn.equivariance import EquivarianceTable, equivariance_table
from lgn.nn.gates import Gates
from lgn.nn.group_net import GroupNet
from lgn.nn.group_stack import (
    BrokenEquivarianceWarning,
    GroupStackConv1d,
    GroupStackConv2d,
    GroupStackConv3d,
)
from lgn.nn.kernels.plain import soft_threshold
from lgn.nn.layers import GroupConv1d, GroupConv2d, GroupConv3d
from lgn.nn.linear import GroupLinear
from lgn.nn.merging import merge
from lgn.nn.models import Autoencoder, Classifier
from lgn.nn.orbit_conv import OrbitConv2d
from lgn.nn.parameter_summary import Summary, summary
from lgn.nn.plain_cnn import PlainCNN
from lgn.nn.sets import SetBatchNorm1d, SetBatchNorm2d, SetBatchNorm3d, advance, pool_sets
from lgn.nn.sites import GeneratorSite, generator_sites
from lgn.nn.transposed import GroupConvTranspose1d, GroupConvTranspose2d, GroupConvTranspose3d
from lgn.nn.unfolded import UnfoldedEncoder

__all__ = [
    "Autoencoder",
    "BrokenEquivarianceWarning",
    "ClassHead",
    "Classifier",
    "Conversion",
    "EquivarianceTable",
    "FilterErrorWarning",
    "FreeBank",
    "Gates",
    "GeneratorSite",
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
    "PlainCNN",
    "SetBatchNorm1d",
    "SetBatchNorm2d",
    "SetBatchNorm3d",
    "Summary",
    "UndeterminedWarning",
    "UnfoldedEncoder",
    "advance",
    "cached",
    "convert",
    "determined_dimension",
    "equivariance_table",
    "generator_sites",
    "merge",
    "pool_sets",
    "project",
    "soft_threshold",
    "summary",
]
