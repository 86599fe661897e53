"""The convolutions of an ONNX file, in the order of its graph."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from lgn.discovery.networks.convolutions import Convolution, convolution

#: The place of the weights among the inputs of a node. Quantised weights are integers, which are not inspected.
WEIGHT_INPUTS = {"Conv": 1, "ConvInteger": 1, "QLinearConv": 3}
#: Nodes that change how weights are stored.
PASSED_OVER = ("Identity", "DequantizeLinear", "Cast")


def read_onnx(path: Path) -> Iterator[Convolution]:
    """Every `Conv` whose weights are constants of the file, or of an external data file next to it."""
    if importlib.util.find_spec("onnx") is None:
        raise ValueError("onnx must be installed to read an .onnx file: pip install 'lgn[onnx]'")
    import onnx

    try:
        graph = onnx.load(str(path)).graph  # onnx refuses external data outside of the directory of the file
    except Exception as error:  # a damaged file may fail in any way
        raise ValueError(f"source must be a whole ONNX file, got {path}: {first_line(error)}") from None
    if not graph.node:
        raise ValueError(f"source must be a whole ONNX file, the graph of {path} is empty")
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
    """The constant tensor behind a name, or None if it is computed; identities, casts and scales are passed over."""
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
        return Convolution(name, None, f"must be readable: {first_line(error)}")


def first_line(error: BaseException) -> str:
    """The first line of the message of an error of another library."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:160]
