"""`inspect`: the symmetries in the filters of a trained network."""

from os import PathLike
from pathlib import Path

from torch import Tensor, nn
from tqdm import tqdm

from lgn.answer import Answer
from lgn.discovery.networks.convolutions import Convolution, convolutions_of, following, inspected
from lgn.discovery.networks.findings import inspect_layer
from lgn.discovery.networks.network_answer import network_answer
from lgn.discovery.networks.next_layer import MOST, continuations
from lgn.discovery.networks.weight_files import read_convolutions


def inspect(
    source: Tensor | nn.Module | str | PathLike[str], layer: str | None = None, *, seed: int = 0, progress: bool = False
) -> Answer:
    """Find the transformations under which the filters of a network are copies of each other, or balanced.

    The answer has a row per layer and transformation, and the group of the first inspected layer.

    source: filters (filters, channels, n, m); a model; or a file (.onnx, .safetensors, or weights saved by torch), from
        which no code is run. All convolutions with kernels of at least 3x3 are inspected.
    layer: inspect only this convolution.
    """
    if isinstance(source, Tensor):
        found = [Convolution(layer or "", source)]
    else:
        found = list(convolutions_of(source)) if isinstance(source, nn.Module) else read_convolutions(Path(source))
    weights, reasons = inspected(found), {known.name: known.reason for known in found if known.reason}
    if not weights:
        why = "; ".join(dict.fromkeys(reasons.values())) or "must be of convolutions"
        raise ValueError(f"source must have a convolution that can be inspected, got none (weights {why})")
    if layer is not None and layer not in weights:
        raise ValueError(f"layer must be one of {', '.join(weights)}, got {layer!r}")
    chosen = list(weights) if layer is None else [layer]
    layers = [
        inspect_layer(weights[name], name, seed=seed)
        for name in tqdm(chosen, disable=None if progress else True, unit="layer")
    ]
    next_layers, continued = following(found), {}
    for name, findings in zip(chosen, layers, strict=True):
        after, kernels = next_layers.get(name, ("", weights[name][:0]))
        if after and len(findings.bank.filters) > 1 and max(len(weights[name]), len(kernels)) <= MOST:
            continued[f"{name} to {after}"] = continuations(weights[name], kernels, seed=seed)
    return network_answer(weights[chosen[0]], layers, continued, reasons, seed)
