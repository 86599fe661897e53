"""What `config.json` holds, believed after a look: keys that are known, values of their type, or one sentence."""

import dataclasses
import types
import typing
from pathlib import Path
from typing import Any, Literal, TypeVar

T = TypeVar("T")

#: How people call the types of JSON.
WORDS = {int: "a whole number", float: "a number", str: "text", bool: "true or false", types.NoneType: "null"}

FACTS = ("task", "image_shape", "class_names", "data", "counts", "preprocessing")


def from_values(kind: type[T], values: Any, name: str, may_miss: tuple[str, ...] = ()) -> T:
    """The dataclass `kind` of JSON values; the fields `may_miss`, also of dataclasses in it, have their defaults."""
    if not isinstance(values, dict):
        raise ValueError(f"{name} must be an object, got {values!r}")
    fields = {field.name: field for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    if unknown := sorted(values.keys() - fields.keys()):
        raise ValueError(f"{name} has {unknown[0]!r}, which this version of lgn does not know")
    if missing := sorted(fields.keys() - values.keys() - set(may_miss)):
        raise ValueError(f"{name} must have {missing[0]!r}, and does not")
    hints = typing.get_type_hints(kind)
    return kind(**{key: _value(hints[key], value, key, may_miss) for key, value in values.items()})


def _value(kind: Any, value: Any, name: str, may_miss: tuple[str, ...]) -> Any:
    if dataclasses.is_dataclass(kind):
        return from_values(typing.cast(type, kind), value, name, may_miss)
    options = typing.get_args(kind) if typing.get_origin(kind) in (types.UnionType, typing.Union) else (kind,)
    for option in options:
        if typing.get_origin(option) is Literal and isinstance(value, str) and value in typing.get_args(option):
            return value
        if option is Path and isinstance(value, str):
            return Path(value)
        if option is float and type(value) is int and abs(value) < 2**53:
            return float(value)
        if type(value) is option:
            return value
    raise ValueError(f"{name} must be {' or '.join(map(_words, options))}, got {value!r}")


def _words(kind: Any) -> str:
    if typing.get_origin(kind) is Literal:
        return f"one of {', '.join(map(str, typing.get_args(kind)))}"
    return WORDS.get(kind, "text")


def believed_facts(facts: Any) -> dict[str, Any]:
    """What the data decided, after a look at what a network is built from."""
    if not isinstance(facts, dict):
        raise ValueError(f"facts must be an object, got {facts!r}")
    if missing := [name for name in FACTS if name not in facts]:
        raise ValueError(f"facts must have {missing[0]!r}, and do not")
    task, shape, names = facts["task"], facts["image_shape"], facts["class_names"]
    if task not in ("classify", "reconstruct"):
        raise ValueError(f"task must be classify or reconstruct, got {task!r}")
    if not (isinstance(shape, list) and len(shape) == 3 and all(type(size) is int and size > 0 for size in shape)):
        raise ValueError(f"image_shape must be channels, height and width, got {shape!r}")
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)):
        raise ValueError(f"class_names must be a list of text, got {names!r}")
    return facts
