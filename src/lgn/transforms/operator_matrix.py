"""Operators and transformations of the catalogue as exact matrices (d, d), by name or as text."""

import inspect
import math
from typing import Any

import torch
from torch import Tensor

from lgn.actions import Patch, matrix_of, size_text
from lgn.transforms.catalogue import find
from lgn.transforms.patch_operators import Operator, catalogue

_SPACES = {1: "signals", 2: "images", 3: "volumes"}


def operator(name: str, patch: Patch, **keywords: Any) -> Tensor:
    """A known operator by its name: `operator("rotation", (6, 6), degrees=60)` is a float64 matrix (36, 36).

    Transformations of the catalogue are accepted too: `operator("turn 90", (6, 6))`. A patch of one size belongs to a
    signal and a patch of three sizes to a volume: `operator("stretch", (9,), factor=2)`.
    """
    known = catalogue(patch)
    if name not in known:
        return _from_catalogue(name, patch)
    for parameter, value in keywords.items():
        if isinstance(value, float) and not math.isfinite(value):
            raise ValueError(f"{parameter} must be finite for operator {name!r}, got {value}")
    try:
        matrix = matrix_of(lambda x: known[name](x, **keywords), patch)
    except OverflowError:
        matrix = torch.tensor(math.nan)
    if not torch.isfinite(matrix).all():
        given = ", ".join(f"{parameter} {value}" for parameter, value in keywords.items())
        raise ValueError(f"operator {name!r} must have parameters of moderate size, got {given}")
    return matrix


def parse_operator(text: str, patch: Patch) -> Tensor:
    """The matrix (d, d) of an operator as people write it: its name, then its parameters in their order.

    Parts joined by "then" are applied one after the other: "pooling 4 then rotation 60".
    """
    first, *others = [_parse_part(part.strip(), patch) for part in text.split(" then ")]
    for matrix in others:
        first = matrix @ first
    return first


def _parse_part(text: str, patch: Patch) -> Tensor:
    name, *values = text.split() or [""]
    known = catalogue(patch)
    if name not in known:
        return _from_catalogue(text, patch)
    try:
        keywords = _parameters(text, known[name], values)
    except ValueError:
        if find(text, _SPACES[len(patch)]) is None:
            raise
        return _from_catalogue(text, patch)
    return operator(name, patch, **keywords)


def _from_catalogue(name: str, patch: Patch) -> Tensor:
    """The matrix of a transformation of the catalogue; for `total - x` that is -I."""
    found = find(name, _SPACES[len(patch)])
    if found is None or found.family == "channels":
        known = ", ".join(catalogue(patch))
        raise ValueError(f"name must be one of {known}, or a transformation of patches, got {name!r}")
    moved = found(torch.zeros(1, *patch, dtype=torch.float64))
    if moved.shape[1:] != patch:
        raise ValueError(f"patch must keep its sizes under {name!r}, got {size_text(patch)}")
    return matrix_of(lambda x: found(x) - moved, patch)


def _parameters(text: str, function: Operator, values: list[str]) -> dict[str, int | float | str]:
    """The parameters of an operator from text, in their order."""
    parameters = list(inspect.signature(function).parameters.values())[1:]
    if len(values) > len(parameters):
        raise ValueError(f"operator takes at most {len(parameters)} parameters, got {text!r}")
    for missing in parameters[len(values) :]:
        if missing.default is missing.empty:
            raise ValueError(f"{missing.name} must be given for the operator, got {text!r}")
    given = {}
    for parameter, value in zip(parameters, values, strict=False):
        try:
            given[parameter.name] = parameter.annotation(value)
        except ValueError:
            kind = "a whole number" if parameter.annotation is int else "a number"
            raise ValueError(f"{parameter.name} must be {kind} in operator {text!r}, got {value!r}") from None
    return given
