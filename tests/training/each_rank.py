"""Train as a run's config says and leave the weights of this process beside the run: what no rank 0 writes for it."""

import os
from typing import Any

import torch
from safetensors.torch import save_file
from torch import nn

from lgn.training import Run, loop, train


def main(words: list[str]) -> int:
    source, out = words
    torch.set_default_dtype(torch.float64)  # what two processes add up differently is then far below what they learn
    made: list[nn.Module] = []
    build = loop.build_model

    def remembered(*arguments: Any) -> nn.Module:
        made.append(build(*arguments))
        return made[-1]

    loop.build_model = remembered  # type: ignore[assignment]
    train(Run(source).config, out, progress=False)
    tensors = {name: parameter.detach() for name, parameter in made[-1].named_parameters()}
    save_file(tensors, f"{out}.{os.environ['RANK']}.safetensors")
    return 0
