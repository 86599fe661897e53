"""Real images in, tensors out, verified: named sets, folders, arrays, patches, whitening."""

from lgn.data.batches import batches, epoch_order
from lgn.data.dataset import DataSet, Split, checksum
from lgn.data.errors import DataError
from lgn.data.loader import load
from lgn.data.patches import patches
from lgn.data.preprocess import Preprocessing, fit_preprocessing
from lgn.data.registry import NAMED_SETS, NamedSet
from lgn.data.seeds import generator_for

__all__ = [
    "NAMED_SETS",
    "DataError",
    "DataSet",
    "NamedSet",
    "Preprocessing",
    "Split",
    "batches",
    "checksum",
    "epoch_order",
    "fit_preprocessing",
    "generator_for",
    "load",
    "patches",
]
