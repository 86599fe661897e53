"""The unfolded encoder's layers by kernels that this machine's compiler makes."""

from lgn.nn.native.layer import NativeLayer, Normalised, is_native

__all__ = ["NativeLayer", "Normalised", "is_native"]
