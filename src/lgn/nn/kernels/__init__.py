"""The layers of an unfolded encoder, `z' = S_b(u + S^T(x - S u))`, three ways: plain, fast and native.

They are equal up to rounding. *plain* is the expression itself, for GPUs, graphs and second derivatives, and the
reference of the other two; *fast* is PyTorch arranged for a CPU; *native* is compiled by the machine's own compiler.
"""

from typing import Literal

from lgn.nn.kernels.fast import FastLayers
from lgn.nn.kernels.native.layer import NativeLayers
from lgn.nn.kernels.plain import PlainLayers

Kernel = Literal["native", "fast", "plain"]
KERNELS: dict[Kernel, type[PlainLayers]] = {"native": NativeLayers, "fast": FastLayers, "plain": PlainLayers}
