"""Networks in files: ONNX, safetensors, and torch's weights. Nothing in a file is run."""

import pickle
import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from lgn.discovery.networks.convolutions import Convolution, Convolutions
from lgn.discovery.networks.onnx_file import first_line, read_onnx

KINDS = ".onnx, .safetensors, or weights that torch has saved (.pt, .pth, .bin, .ckpt)"
QUANTISED = ("qint8", "quint8", "qint32", "quint4x2", "quint2x4")


def read_convolutions(path: Path) -> Convolutions:
    """The convolutions of a file, by its content: those of 4 dimensions in a file of weights, and ONNX's `Conv`.

    A file of weights does not say what its tensors are for: every one of 4 dimensions is taken for a convolution.
    """
    if not path.is_file():
        raise ValueError(f"FILE must be a file, {path} is none")
    with path.open("rb") as file:
        head = file.read(16)
    if path.suffix == ".safetensors":
        found = _safetensors(path)
    elif path.suffix == ".onnx":
        found = read_onnx(path)
    elif head[:2] == b"PK" or head[:1] == b"\x80":
        found = _torch(path)
    else:
        raise ValueError(f"FILE must be {KINDS}, {path} is none of them")
    convolutions = Convolutions()
    for each in found:
        convolutions.add(each)
    if not convolutions.shapes:
        raise ValueError(f"FILE must have convolutions, {path} has none")
    return convolutions


def _safetensors(path: Path) -> Iterator[Convolution]:
    try:
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118
                shape = tuple(file.get_slice(name).get_shape())
                if len(shape) == 4:
                    yield _weight(name, file.get_tensor(name))
    except (SafetensorError, OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a whole safetensors file: {first_line(error)}") from None


def _torch(path: Path) -> Iterator[Convolution]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch on old ways of saving
            content = torch.load(path, map_location="cpu", weights_only=True, mmap=_can_be_mapped(path))
    except pickle.UnpicklingError as error:
        raise ValueError(
            f"{path} is refused, it asks for more than weights (save model.state_dict() instead): {first_line(error)}"
        ) from None
    except (RuntimeError, EOFError, OSError, ValueError, KeyError, AttributeError, TypeError, IndexError) as error:
        raise ValueError(f"{path} is not a whole file of torch weights: {first_line(error)}") from None
    for name, tensor in _tensors(content, ""):
        if tensor.ndim == 4:
            yield _weight(name, tensor)


def _can_be_mapped(path: Path) -> bool:
    """Files of torch 1.6 and newer are archives, of which only what is looked at need be read."""
    return zipfile.is_zipfile(path)


def _tensors(content: Any, prefix: str) -> Iterator[tuple[str, Tensor]]:
    """All tensors in dictionaries and lists, as deep as they go, with their names."""
    if isinstance(content, Tensor):
        yield prefix or "weights", content
    elif isinstance(content, dict):
        for key, value in content.items():
            yield from _tensors(value, f"{prefix}.{key}" if prefix else str(key))
    elif isinstance(content, list | tuple):
        for number, value in enumerate(content):
            yield from _tensors(value, f"{prefix}.{number}" if prefix else str(number))


def _weight(name: str, tensor: Tensor) -> Convolution:
    name, shape = name.removesuffix(".weight"), tuple(tensor.shape)
    kind = str(tensor.dtype).removeprefix("torch.")
    if kind in QUANTISED:
        return Convolution(name, shape, None, f"its weights are {kind}: rounded weights are not compared")
    return Convolution(name, shape, tensor.detach().float() if tensor.is_floating_point() else tensor.detach())
