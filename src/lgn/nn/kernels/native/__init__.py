"""The unfolded encoder's layers by kernels that this machine's compiler makes."""

from lgn.nn.kernels.native.layer import NativeLayers, Normalised, is_native

__all__ = ["NativeLayers", "Normalised", "is_native"]
