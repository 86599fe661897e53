"""The unfolded encoder's layers by compiled kernels."""
