"""Data of five kinds, images, signals, volumes, tables and points, from memory, from files and by name."""

from lgn.data.dataset import DataSet, Split, checksum
from lgn.data.errors import DataError
from lgn.data.kinds import Kind
from lgn.data.loader import load
from lgn.data.preprocess import Preprocessing, fit_preprocessing
from lgn.data.registry import NAMED_SETS, NamedSet
from lgn.data.seeds import epoch_order, generator_for, patches
from lgn.data.sources import Samples, samples
from lgn.data.targets import Target, target

__all__ = [
    "NAMED_SETS",
    "DataError",
    "DataSet",
    "Kind",
    "NamedSet",
    "Preprocessing",
    "Samples",
    "Split",
    "Target",
    "checksum",
    "epoch_order",
    "fit_preprocessing",
    "generator_for",
    "load",
    "patches",
    "samples",
    "target",
]
