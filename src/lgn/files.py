"""Files that appear completely or not at all, and dataclasses as JSON. Reading a file never runs code from it.

JSON has no infinity, and a condition number can be infinite: `encode` writes such floats as the strings "Infinity",
"-Infinity" and "NaN", which `float` in Python and `Number` in JavaScript both read.
"""

import base64
import dataclasses
import json
import math
import os
import tempfile
import types
import typing
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import torch
from torch import Tensor

T = TypeVar("T")
SCHEMA = 1
#: The suffix of the temporary files to which content is written before it appears under its own name.
PARTIAL = ".part"
#: The dtypes of tensors in files.
DTYPES = ("bool", "uint8", "int64", "float16", "float32", "float64")
TYPE_NAMES = {int: "a whole number", float: "a number", str: "text", bool: "true or false", types.NoneType: "null"}


def write_atomic(path: Path, content: bytes) -> None:
    """Write a temporary file, flush it to disk and rename it: a reader sees the old content or the new."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=PARTIAL)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_json(path: Path, value: dict[str, Any], indent: int | None = 2) -> None:
    """Write a JSON object with its schema number first; `indent=None` writes one line, half the size for tables."""
    write_atomic(path, (strict_json({"schema": SCHEMA, **value}, path, indent) + "\n").encode())


def strict_json(value: Any, path: Path, indent: int | None = None) -> str:
    """JSON text without infinities or NaN, which the JSON standard does not have."""
    try:
        return json.dumps(value, indent=indent, separators=None if indent else (",", ":"), allow_nan=False)
    except ValueError:
        raise ValueError(f"{path} must have finite numbers only, got an infinity or NaN") from None


def read_json(path: Path) -> dict[str, Any]:
    """Read a JSON object, which must have the schema number of this version."""
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:  # the syntax or the encoding is wrong
        raise ValueError(f"{path} is not a JSON file: {error}") from None
    found = value.get("schema") if isinstance(value, dict) else None
    if type(found) is int and found > SCHEMA:
        raise ValueError(
            f"{path} was written by a newer version of lgn: it has schema {found}, and this version reads {SCHEMA}"
        )
    if found != SCHEMA:
        raise ValueError(f"{path} must have schema {SCHEMA}, got {found!r}")
    return value


def encode(value: Any) -> Any:
    """A dataclass, tuple, dict, path, tensor, number or string as plain JSON values."""
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


def decode(kind: type[T], value: Any, name: str | None = None, optional: tuple[str, ...] = ()) -> T:
    """The inverse of `encode` for the dataclass `kind`. Errors name the wrong field by its path, such as `config.seed`.

    name: the first part of that path. optional: fields of any dataclass in it that may be missing in the file.
    """
    return typing.cast(T, _decode(kind, value, name or kind.__name__, optional))


def _decode(kind: Any, value: Any, place: str, optional: tuple[str, ...]) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, value, place, optional)
    if kind is Tensor:
        return _decode_tensor(value, place)
    if origin in (types.UnionType, typing.Union):
        for option in arguments:
            try:
                return _decode(option, value, place, optional)
            except ValueError:
                continue
        raise ValueError(f"{place} must be {' or '.join(map(_type_name, arguments))}, got {value!r}")
    if origin is tuple:
        if not isinstance(value, list):
            raise ValueError(f"{place} must be a list, got {value!r}")
        kinds = arguments[:1] * len(value) if arguments[1:] == (Ellipsis,) else arguments
        if len(kinds) != len(value):
            raise ValueError(f"{place} must have {len(kinds)} items, got {len(value)}")
        pairs = zip(kinds, value, strict=True)
        return tuple(_decode(kind, item, f"{place}[{i}]", optional) for i, (kind, item) in enumerate(pairs))
    if origin is dict:
        if not isinstance(value, dict):
            raise ValueError(f"{place} must be an object, got {value!r}")
        return {key: _decode(arguments[1], item, f"{place}[{key!r}]", optional) for key, item in value.items()}
    return _decode_plain(kind, value, place)


def _decode_dataclass(kind: Any, value: Any, place: str, optional: tuple[str, ...]) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{place} must be an object, got {value!r}")
    names = {field.name for field in dataclasses.fields(kind)}
    if unknown := sorted(value.keys() - names):
        raise ValueError(f"{place} has the unknown field {unknown[0]!r}")
    if missing := sorted(names - value.keys() - set(optional)):
        raise ValueError(f"{place} must have the field {missing[0]!r}")
    hints = typing.get_type_hints(kind)
    return kind(**{key: _decode(hints[key], item, f"{place}.{key}", optional) for key, item in value.items()})


def _decode_tensor(value: Any, place: str) -> Tensor:
    if not isinstance(value, dict) or value.keys() != {"dtype", "shape", "base64"}:
        raise ValueError(f"{place} must be a tensor, got {value!r}")
    if value["dtype"] not in DTYPES:
        raise ValueError(f"{place} must have a dtype of {', '.join(DTYPES)}, got {value['dtype']!r}")
    try:
        array = np.frombuffer(base64.b64decode(value["base64"], validate=True), dtype=value["dtype"])
        return torch.from_numpy(array.reshape(value["shape"]).copy())
    except (ValueError, TypeError) as error:
        raise ValueError(f"{place} must be a tensor of shape {value['shape']}, got other bytes: {error}") from None


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
    raise ValueError(f"{place} must be {_type_name(kind)}, got {value!r}")


def _type_name(kind: Any) -> str:
    if typing.get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, typing.get_args(kind)))}"
    return TYPE_NAMES.get(kind, "text" if kind is Path else "a list")
