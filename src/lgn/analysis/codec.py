"""Frozen dataclasses to JSON and back, by their type hints: nothing in a file can run code.

JSON has no infinity, and a condition number can be infinite: such floats are written as the strings
"Infinity", "-Infinity" and "NaN", which `float` in Python and `Number` in JavaScript both read.
"""

import dataclasses
import math
import types
import typing
from typing import Any, TypeVar

T = TypeVar("T")


def encode(value: Any) -> Any:
    """A dataclass (or a tuple, dict, number, string) as plain JSON values."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: encode(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    return value


def decode(kind: type[T], value: Any) -> T:
    """The inverse of `encode` for a dataclass `kind`; a wrong or missing field is named in the error."""
    return typing.cast(T, _decode(kind, value, kind.__name__))


def _decode(kind: Any, value: Any, place: str) -> Any:
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is typing.Any:
        return value
    if dataclasses.is_dataclass(kind):
        return _decode_dataclass(kind, value, place)
    if origin in (types.UnionType, typing.Union):
        for option in arguments:
            try:
                return _decode(option, value, place)
            except ValueError:
                continue
        raise ValueError(f"{place} must be {kind}, got {value!r}")
    if origin is tuple:
        if not isinstance(value, list):
            raise ValueError(f"{place} must be a list, got {value!r}")
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return tuple(_decode(arguments[0], item, f"{place}[{i}]") for i, item in enumerate(value))
        if len(arguments) != len(value):
            raise ValueError(f"{place} must have {len(arguments)} items, got {len(value)}")
        return tuple(
            _decode(each, item, f"{place}[{i}]") for i, (each, item) in enumerate(zip(arguments, value, strict=True))
        )
    if origin is dict:
        if not isinstance(value, dict):
            raise ValueError(f"{place} must be an object, got {value!r}")
        return {key: _decode(arguments[1], item, f"{place}[{key!r}]") for key, item in value.items()}
    return _decode_plain(kind, value, place)


def _decode_dataclass(kind: Any, value: Any, place: str) -> Any:
    if not isinstance(value, dict):
        raise ValueError(f"{place} must be an object, got {type(value).__name__}")
    hints = typing.get_type_hints(kind)
    names = {field.name for field in dataclasses.fields(kind)}
    if names != value.keys():
        raise ValueError(
            f"{place} must have exactly its fields: missing {sorted(names - value.keys())}, "
            f"unknown {sorted(value.keys() - names)}"
        )
    return kind(**{name: _decode(hints[name], value[name], f"{place}.{name}") for name in names})


def _decode_plain(kind: Any, value: Any, place: str) -> Any:
    if kind is float and (isinstance(value, int | float) and not isinstance(value, bool)):
        return float(value)
    if kind is float and value in ("Infinity", "-Infinity", "NaN"):
        return float(value)
    if kind is types.NoneType and value is None:
        return None
    if kind in (int, str, bool) and type(value) is kind:
        return value
    raise ValueError(f"{place} must be {getattr(kind, '__name__', kind)}, got {value!r}")
