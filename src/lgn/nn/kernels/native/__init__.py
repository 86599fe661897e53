"""The unfolded encoder's layers by compiled kernels."""

from lgn.nn.kernels.native.layer import NativeLayers, is_native
from lgn.nn.kernels.native.step import NativeSynthesis

__all__ = ["NativeLayers", "NativeSynthesis", "is_native"]
