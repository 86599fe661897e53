"""Encode once and print the kernel: the program of the processes in `test_native`."""

import os
from pathlib import Path

import torch

from lgn.nn import UnfoldedEncoder
from lgn.nn.kernels.native import compiled


def main(_: list[str]) -> int:
    compiled.SECONDS = float(os.environ.get("SECONDS_TO_COMPILE", compiled.SECONDS))
    compiled.PREBUILT = Path(os.environ.get("PREBUILT", compiled.PREBUILT))
    torch.manual_seed(0)
    codes = UnfoldedEncoder(1, kernel_size=6)(torch.randn(2, 1, 20, 20))
    print(compiled.kernels() is not None, float(codes.detach().double().sum()))
    return 0
