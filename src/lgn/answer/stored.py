"""The file of an answer: JSON, with matrices in base64. Loading it never runs code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torch import Tensor

from lgn.files import decode, encode, read_json, write_json
from lgn.transforms import Transformation, find

if TYPE_CHECKING:
    from lgn.answer.answer import Answer


def values(answer: Answer, images: bool = True) -> dict[str, Any]:
    """The answer as plain JSON values; transformations that are functions are stored by name."""
    rows = tuple(replace(row, transformation=replace(row.transformation, function=None)) for row in answer.rows)
    data = answer.data if images else replace(answer.data, examples=None)
    plain: dict[str, Any] = encode(replace(answer, rows=rows, data=data))
    return plain


def write(answer: Answer, path: Path, images: bool) -> None:
    """Write the file."""
    write_json(path, values(answer, images))


def read(kind: type[Answer], path: Path, functions: Mapping[str, Callable[[Tensor], Tensor]]) -> Answer:
    """Read the file; functions come from the catalogue, or from `functions` by name."""
    value = {key: item for key, item in read_json(path).items() if key != "schema"}
    answer = decode(kind, value, "answer")
    rows = (replace(row, transformation=_resolved(row.transformation, functions)) for row in answer.rows)
    return replace(answer, rows=tuple(rows))


def _resolved(stored: Transformation, functions: Mapping[str, Callable[[Tensor], Tensor]]) -> Transformation:
    if stored.matrix is not None:
        return stored
    if stored.name in functions:
        return replace(stored, function=functions[stored.name])
    known = find(stored.name, stored.space, stored.parameter)
    return stored if known is None else replace(stored, function=known.function)
