"""Train with the config of a run and store the weights of this process, also if it does not write the run."""

import os
from typing import Any

import torch
from safetensors.torch import save_file
from torch import nn

from lgn.training import Run, train, trainer


def main(arguments: list[str]) -> int:
    source, out = arguments
    torch.set_default_dtype(torch.float64)  # rounding errors of two processes are then far below what they learn
    models: list[nn.Module] = []
    build = trainer.build_model

    def remembered(*given: Any) -> nn.Module:
        models.append(build(*given))
        return models[-1]

    trainer.build_model = remembered
    train(Run(source).config, out)
    tensors = {name: parameter.detach() for name, parameter in models[-1].named_parameters()}
    save_file(tensors, f"{out}.{os.environ['RANK']}.safetensors")
    return 0
