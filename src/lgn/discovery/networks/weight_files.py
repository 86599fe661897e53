"""Networks in files: ONNX, safetensors, and weights saved by torch. Reading a file never runs code from it."""

import importlib.util
import pickle
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from lgn.discovery.networks.convolutions import Convolution, convolution

#: The kinds of files that can be read.
KINDS = ".onnx, .safetensors, or weights saved by torch (.pt, .pth, .bin, .ckpt)"
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
    with path.open("rb") as file:
        head = file.read(2)
    if path.suffix == ".onnx":
        found = list(_onnx(path))
    elif path.suffix == ".safetensors":
        found = [convolution(name, tensor) for name, tensor in _safetensors(path)]
    elif head == b"PK" or head[:1] == b"\x80":
        found = [convolution(name, tensor) for name, tensor in _tensors(_torch(path)) if tensor.ndim == 4]
    else:
        raise ValueError(f"source must be {KINDS}, got {path}")
    if not found:
        raise ValueError(f"source must have convolutions, got none in {path}")
    return found


def _safetensors(path: Path) -> Iterator[tuple[str, Tensor]]:
    try:
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118
                if len(file.get_slice(name).get_shape()) == 4:
                    yield name, file.get_tensor(name)
    except (SafetensorError, OSError, UnicodeDecodeError) as error:
        raise ValueError(f"source must be a whole safetensors file, got {path}: {_first_line(error)}") from None


def _torch(path: Path) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns about old formats
            # Archives, which torch 1.6 and newer write, are read only where tensors are used.
            return torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except pickle.UnpicklingError as error:
        reason = _first_line(error)
        raise ValueError(f"source must hold only weights (save model.state_dict()), got {path}: {reason}") from None
    except (RuntimeError, EOFError, OSError, ValueError, KeyError, AttributeError, TypeError, IndexError) as error:
        raise ValueError(f"source must be a whole file of torch weights, got {path}: {_first_line(error)}") from None


def _tensors(content: Any, name: str = "") -> Iterator[tuple[str, Tensor]]:
    """All tensors in nested dictionaries and lists, with their names."""
    if isinstance(content, Tensor):
        yield name or "weights", content
    elif isinstance(content, dict | list | tuple):
        for key, value in content.items() if isinstance(content, dict) else enumerate(content):
            yield from _tensors(value, f"{name}.{key}" if name else str(key))


def _onnx(path: Path) -> Iterator[Convolution]:
    """Every `Conv` of an ONNX file, in the order of its graph."""
    if importlib.util.find_spec("onnx") is None:
        raise ValueError("onnx must be installed to read an .onnx file: pip install 'lgn[onnx]'")
    import onnx

    try:
        graph = onnx.load(str(path)).graph  # onnx refuses external data outside of the directory of the file
    except Exception as error:  # a damaged file may fail in any way
        raise ValueError(f"source must be a whole ONNX file, got {path}: {_first_line(error)}") from None
    if not graph.node:
        raise ValueError(f"source must be a whole ONNX file, got {path} with an empty graph")
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
