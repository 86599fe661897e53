"""Families of generators: each file defines what a generator A can be (see `lgn.generators.Generator`)."""

from lgn.generators.affine import Affine
from lgn.generators.base import Generator, generators_of, matrices_by_size, parameter_groups, rebase
from lgn.generators.circulant import Circulant
from lgn.generators.dense import Dense
from lgn.generators.doubly_stochastic import DoublyStochastic
from lgn.generators.fixed import Fixed
from lgn.generators.kronecker import Kronecker
from lgn.generators.low_rank import LowRank
from lgn.generators.make import FAMILIES, Family, make_generator
from lgn.generators.orthogonal import Orthogonal
from lgn.generators.representation import Cyclic, Representation, permutation_like
from lgn.generators.starts import Share, Start, StartName, leading_shape, start_matrices

__all__ = [
    "FAMILIES",
    "Affine",
    "Circulant",
    "Cyclic",
    "Dense",
    "DoublyStochastic",
    "Family",
    "Fixed",
    "Generator",
    "Kronecker",
    "LowRank",
    "Orthogonal",
    "Representation",
    "Share",
    "Start",
    "StartName",
    "generators_of",
    "leading_shape",
    "make_generator",
    "matrices_by_size",
    "parameter_groups",
    "permutation_like",
    "rebase",
    "start_matrices",
]
