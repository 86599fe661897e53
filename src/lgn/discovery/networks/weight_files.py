"""Networks in files: ONNX, safetensors, and weights saved by torch. Reading a file never runs code from it."""

import importlib.util
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open
from torch import Tensor

from lgn.discovery.networks.convolutions import Convolution, convolution

#: The files that can be read.
FILES = "a whole file: .onnx, .safetensors, or a state_dict saved by torch (.pt, .pth, .bin, .ckpt)"
#: The index of the weights among the inputs of a node. Quantised weights are integers, which are not inspected.
WEIGHT_INPUTS = {"Conv": 1, "ConvInteger": 1, "QLinearConv": 3}
#: Nodes that only change the storage of weights.
PASSED_OVER = ("Identity", "DequantizeLinear", "Cast")


def read_convolutions(path: Path) -> list[Convolution]:
    """The convolutions of a file: every `Conv` of an ONNX file, and every tensor with 4 axes of a file of weights.

    A file of weights does not tell which of its tensors belong to convolutions.
    """
    if not path.is_file():
        raise ValueError(f"source must be an existing file, got {path}")
    if path.suffix == ".onnx" and importlib.util.find_spec("onnx") is None:
        raise ValueError("onnx must be installed to read an .onnx file: pip install 'lgn[onnx]'")
    try:
        if path.suffix == ".onnx":
            found = list(_onnx(path))
        else:
            tensors = _safetensors(path) if path.suffix == ".safetensors" else _tensors(_torch(path))
            found = [convolution(name, tensor) for name, tensor in tensors if tensor.ndim == 4]
    except Exception as error:  # a damaged file may fail in any way
        raise ValueError(f"source must be {FILES}, got {path}: {_first_line(error)}") from None
    if not found:
        raise ValueError(f"source must have convolutions, got none in {path}")
    return found


def _safetensors(path: Path) -> Iterator[tuple[str, Tensor]]:
    with safe_open(path, framework="pt") as file:
        for name in file.keys():  # noqa: SIM118
            if len(file.get_slice(name).get_shape()) == 4:
                yield name, file.get_tensor(name)


def _torch(path: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # torch warns about old formats
        # Archives, which torch 1.6 and newer write, are read only where tensors are used.
        return torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))


def _tensors(content: Any, name: str = "") -> Iterator[tuple[str, Tensor]]:
    """All tensors in nested dictionaries and lists, with their names."""
    if isinstance(content, Tensor):
        yield name or "weights", content
    elif isinstance(content, dict | list | tuple):
        for key, value in content.items() if isinstance(content, dict) else enumerate(content):
            yield from _tensors(value, f"{name}.{key}" if name else str(key))


def _onnx(path: Path) -> Iterator[Convolution]:
    """Every `Conv` of an ONNX file, in the order of its graph."""
    import onnx

    graph = onnx.load(str(path)).graph  # onnx refuses external data outside of the directory of the file
    constants = {tensor.name: tensor for tensor in graph.initializer}
    made_by = {output: node for node in graph.node for output in node.output}
    names: set[str] = set()
    for node in graph.node:
        if node.op_type in WEIGHT_INPUTS and len(node.input) > WEIGHT_INPUTS[node.op_type]:
            weight = node.input[WEIGHT_INPUTS[node.op_type]]
            tensor = _constant(weight, constants, made_by)
            name = (tensor.name if tensor is not None else "") or weight
            if name not in names:  # two convolutions may share weights
                names.add(name)
                yield _convolution(name, tensor)


def _constant(name: str, constants: dict[str, Any], made_by: dict[str, Any]) -> Any:
    """The constant tensor behind a name, through nodes of PASSED_OVER; None if the tensor is computed."""
    for _ in range(len(made_by) + 1):
        if name in constants:
            return constants[name]
        node = made_by.get(name)
        if node is not None and node.op_type == "Constant":
            return next((item.t for item in node.attribute if item.name == "value"), None)
        if node is None or node.op_type not in PASSED_OVER or not node.input:
            return None
        name = node.input[0]
    return None


def _convolution(name: str, tensor: Any) -> Convolution:
    from onnx import numpy_helper

    if tensor is None:
        return Convolution(name, None, "must be constants of the file")
    try:
        return convolution(name, torch.from_numpy(numpy_helper.to_array(tensor).copy()))
    except (ValueError, TypeError) as error:  # a type that torch does not have
        return Convolution(name, None, f"must be readable: {_first_line(error)}")


def _first_line(error: BaseException) -> str:
    """The first line of the message of an error of another library."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:160]
