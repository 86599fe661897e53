"""The file of an answer, JSON with matrices in base64, and the answer as a DataFrame. Loading never runs code."""

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


def to_frame(answer: Answer) -> Any:
    """One row per transformation, with the value, the interval and the p-value of every kind of evidence."""
    try:
        import pandas
    except ImportError:
        raise ValueError("pandas must be installed to make a DataFrame: pip install 'lgn[tables]'") from None
    rows = []
    for row in answer.rows:
        line: dict[str, object] = {"name": row.name, "verdict": row.verdict, "layer": row.layer}
        line |= {"needed_low": row.needed and row.needed[0], "needed_high": row.needed and row.needed[1]}
        for evidence in row.evidence:
            low, high = evidence.interval or (None, None)
            values = {"verdict": evidence.verdict, "value": evidence.value, "low": low, "high": high}
            line |= {f"{evidence.kind}_{key}": value for key, value in (values | {"p_value": evidence.p_value}).items()}
        rows.append(line)
    return pandas.DataFrame(rows)
