"""Frozen dataclasses to JSON and back, by their type hints: nothing in a file can run code.

JSON has no infinity, and a condition number can be infinite: such floats are written as the strings
"Infinity", "-Infinity" and "NaN", which `float` in Python and `Number` in JavaScript both read.
"""

import base64
import dataclasses
import math
import types
import typing
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import torch
from torch import Tensor

T = TypeVar("T")

#: The dtypes of tensors in files.
DTYPES = ("bool", "uint8", "int64", "float16", "float32", "float64")
#: How people call the types of JSON.
WORDS = {int: "a whole number", float: "a number", str: "text", bool: "true or false", types.NoneType: "null"}


def encode(value: Any) -> Any:
    """A dataclass (or a tuple, dict, path, number, string) as plain JSON values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Tensor):
        array = value.detach().cpu().contiguous().numpy()
        content = base64.b64encode(array.tobytes()).decode()
        return {"dtype": str(array.dtype), "shape": list(array.shape), "base64": content}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def decode(kind: type[T], value: Any, name: str | None = None, may_miss: tuple[str, ...] = ()) -> T:
    """The inverse of `encode` for a dataclass `kind`; what is wrong is named in the error, by its place.

    name: what the whole is called there. may_miss: fields, also of dataclasses in it, that then have their defaults.
    """
    return typing.cast(T, _decode(kind, value, name or kind.__name__, may_miss))


def _decode(kind: Any, value: Any, place: str, may_miss: tuple[str, ...]) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, value, place, may_miss)
    if kind is Tensor:
        return _decode_tensor(value, place)
    if origin in (types.UnionType, typing.Union):
        for option in arguments:
            try:
                return _decode(option, value, place, may_miss)
            except ValueError:
                continue
        raise ValueError(f"{place} must be {' or '.join(map(_words, arguments))}, got {value!r}")
    if origin is tuple:
        if not isinstance(value, list):
            raise ValueError(f"{place} must be a list, got {value!r}")
        kinds = arguments[:1] * len(value) if arguments[1:] == (Ellipsis,) else arguments
        if len(kinds) != len(value):
            raise ValueError(f"{place} must have {len(kinds)} items, got {len(value)}")
        pairs = enumerate(zip(kinds, value, strict=True))
        return tuple(_decode(each, item, f"{place}[{i}]", may_miss) for i, (each, item) in pairs)
    if origin is dict:
        if not isinstance(value, dict):
            raise ValueError(f"{place} must be an object, got {value!r}")
        return {key: _decode(arguments[1], item, f"{place}[{key!r}]", may_miss) for key, item in value.items()}
    return _decode_plain(kind, value, place)


def _decode_dataclass(kind: Any, value: Any, place: str, may_miss: tuple[str, ...]) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{place} must be an object, got {value!r}")
    names = {field.name for field in dataclasses.fields(kind)}
    if unknown := sorted(value.keys() - names):
        raise ValueError(f"{place} has {unknown[0]!r}, which this version of lgn does not know")
    if missing := sorted(names - value.keys() - set(may_miss)):
        raise ValueError(f"{place} must have {missing[0]!r}, and does not")
    hints = typing.get_type_hints(kind)
    return kind(**{key: _decode(hints[key], item, f"{place}.{key}", may_miss) for key, item in value.items()})


def _decode_tensor(value: Any, place: str) -> Tensor:
    if not isinstance(value, dict) or value.keys() != {"dtype", "shape", "base64"}:
        raise ValueError(f"{place} must be a tensor, got {value!r}")
    if value["dtype"] not in DTYPES:
        raise ValueError(f"{place} must have a dtype of {', '.join(DTYPES)}, got {value['dtype']!r}")
    try:
        array = np.frombuffer(base64.b64decode(value["base64"], validate=True), dtype=value["dtype"])
        return torch.from_numpy(array.reshape(value["shape"]).copy())
    except (ValueError, TypeError) as error:
        raise ValueError(
            f"{place} must be a tensor of shape {value['shape']}, got bytes that are not: {error}"
        ) from None


def _decode_plain(kind: Any, value: Any, place: str) -> Any:
    if typing.get_origin(kind) is Literal and isinstance(value, str) and value in typing.get_args(kind):
        return value
    if kind is Path and isinstance(value, str):
        return Path(value)
    if kind is float and type(value) is int and abs(value) < 2**53:
        return float(value)
    if kind is float and value in ("Infinity", "-Infinity", "NaN"):
        return float(value)
    if kind is types.NoneType and value is None:
        return None
    if kind in (int, float, str, bool) and type(value) is kind:
        return value
    raise ValueError(f"{place} must be {_words(kind)}, got {value!r}")


def _words(kind: Any) -> str:
    if typing.get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, typing.get_args(kind)))}"
    return WORDS.get(kind, "text" if kind is Path else "a list")
