"""Networks in files: ONNX, safetensors, and weights saved by torch. Reading a file never runs code from it."""

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
from lgn.discovery.networks.onnx_file import first_line, read_onnx

KINDS = ".onnx, .safetensors, or weights saved by torch (.pt, .pth, .bin, .ckpt)"


def read_convolutions(path: Path) -> list[Convolution]:
    """The convolutions of a file: every `Conv` of an ONNX file, and every tensor with 4 axes of a file of weights.

    A file of weights does not say what its tensors are for.
    """
    if not path.is_file():
        raise ValueError(f"source must be an existing file, got {path}")
    with path.open("rb") as file:
        head = file.read(2)
    if path.suffix == ".onnx":
        found = list(read_onnx(path))
    elif path.suffix == ".safetensors":
        found = [convolution(name, tensor) for name, tensor in _safetensors(path)]
    elif head == b"PK" or head[:1] == b"\x80":
        found = [convolution(name, tensor) for name, tensor in _tensors(_torch(path)) if tensor.ndim == 4]
    else:
        raise ValueError(f"source must be {KINDS}, got {path}")
    if not found:
        raise ValueError(f"source must have convolutions, {path} has none")
    return found


def _safetensors(path: Path) -> Iterator[tuple[str, Tensor]]:
    try:
        with safe_open(path, framework="pt") as file:
            for name in file.keys():  # noqa: SIM118
                if len(file.get_slice(name).get_shape()) == 4:
                    yield name, file.get_tensor(name)
    except (SafetensorError, OSError, UnicodeDecodeError) as error:
        raise ValueError(f"source must be a whole safetensors file, got {path}: {first_line(error)}") from None


def _torch(path: Path) -> Any:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch warns about old formats
            # Archives, which torch 1.6 and newer write, are read only where tensors are used.
            return torch.load(path, map_location="cpu", weights_only=True, mmap=zipfile.is_zipfile(path))
    except pickle.UnpicklingError as error:
        raise ValueError(
            f"source must hold weights only, {path} is refused (save model.state_dict()): {first_line(error)}"
        ) from None
    except (RuntimeError, EOFError, OSError, ValueError, KeyError, AttributeError, TypeError, IndexError) as error:
        raise ValueError(f"source must be a whole file of torch weights, got {path}: {first_line(error)}") from None


def _tensors(content: Any, name: str = "") -> Iterator[tuple[str, Tensor]]:
    """All tensors in nested dictionaries and lists, with their names."""
    if isinstance(content, Tensor):
        yield name or "weights", content
    elif isinstance(content, dict | list | tuple):
        for key, value in content.items() if isinstance(content, dict) else enumerate(content):
            yield from _tensors(value, f"{name}.{key}" if name else str(key))
