"""An operator from words: "rotation 90", "pooling 4 then rotation 60", "shift 0 1", "reflection rows"."""

import inspect

from torch import Tensor

from lgn.actions import Patch
from lgn.transforms.known import catalogue, operator

#: Turns, flips and transpositions of a square, by the names of candidates and elements, as operators.
SQUARE = {
    "identity": "identity",
    "turn 90": "rotation 90",
    "turn 180": "rotation 180",
    "turn 270": "rotation 270",
    "flip columns": "reflection columns",
    "flip rows": "reflection rows",
    "transposition": "transposition",
    "antitransposition": "transposition then rotation 180",
}


def parse_operator(text: str, patch: Patch) -> Tensor:
    """The matrix (d, d) of an operator as people write it: its name, then its parameters in their order.

    Parts joined by "then" are applied one after the other.
    """
    matrix: Tensor | None = None
    for part in text.split(" then "):
        step = _one(part.strip(), patch)
        matrix = step if matrix is None else step @ matrix
    assert matrix is not None
    return matrix


def _one(text: str, patch: Patch) -> Tensor:
    name, *values = text.split() or [""]
    known = catalogue(patch)
    if name not in known:
        raise ValueError(f"operator must begin with one of {', '.join(known)}, got {text!r}")
    parameters = list(inspect.signature(known[name]).parameters.values())[1:]
    if len(values) > len(parameters):
        raise ValueError(f"operator {name} takes at most {len(parameters)} parameters, got {text!r}")
    given = {each.name: _value(word, each, text) for each, word in zip(parameters, values, strict=False)}
    missing = [each.name for each in parameters if each.default is each.empty and each.name not in given]
    if missing:
        raise ValueError(f"operator {name} needs {', '.join(missing)}, got {text!r}")
    return operator(name, patch, **given)


def _value(word: str, parameter: inspect.Parameter, text: str) -> int | float | str:
    """A word as what its parameter is: text, a whole number or a number."""
    kind = parameter.annotation
    try:
        return kind(word)
    except ValueError:
        wanted = "a whole number" if kind is int else "a number"
        raise ValueError(f"{parameter.name} must be {wanted} in operator {text!r}, got {word!r}") from None
