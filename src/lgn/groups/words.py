"""Words in the generators of a group: `r^2 s` is the product of r, r and s, the right one acting first.

A word is text for people, and letters for programs: pairs of a generator's place and its exponent, 1 or -1.
"""

import re
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TypeVar

Letters = tuple[tuple[int, int], ...]
IDENTITY = "e"
_PART = re.compile(r"([A-Za-z_]\w*)(?:\^(-?\d+))?")
T = TypeVar("T")


def parse(word: str, generators: Sequence[str]) -> Letters:
    """The letters of a word such as `s r^2 s^-1`; `e` is the empty one."""
    letters: list[tuple[int, int]] = []
    for part in word.split():
        found = _PART.fullmatch(part)
        name = found[1] if found else part
        if found is None or name not in (*generators, IDENTITY):
            raise ValueError(f"word must be made of {', '.join(generators)}, such as r^2 for a power, got {word!r}")
        exponent = int(found[2] or 1)
        if name in generators:
            letters += [(generators.index(name), 1 if exponent > 0 else -1)] * abs(exponent)
    return tuple(letters)


def spell(letters: Letters, generators: Sequence[str]) -> str:
    """Letters as people write them, powers together."""
    parts = []
    for (place, sign), run in groupby(letters):
        exponent = sign * len(list(run))
        parts.append(generators[place] if exponent == 1 else f"{generators[place]}^{exponent}")
    return " ".join(parts) or IDENTITY


def inverted(letters: Letters) -> Letters:
    """The word of the inverse."""
    return tuple((place, -sign) for place, sign in reversed(letters))


def reduced(letters: Letters) -> Letters:
    """The shortest word with the same conjugates: what cancels is dropped, in the middle and at the two ends."""
    kept: list[tuple[int, int]] = []
    for place, sign in letters:
        if kept and kept[-1] == (place, -sign):
            kept.pop()
        else:
            kept.append((place, sign))
    while len(kept) > 1 and kept[0] == (kept[-1][0], -kept[-1][1]):
        kept = kept[1:-1]
    return tuple(kept)


def product(letters: Letters, values: Sequence[T], inverses: Sequence[T], multiply: Callable[[T, T], T]) -> T | None:
    """The value of a word, given those of the generators and of their inverses; None for the empty word."""
    total: T | None = None
    for place, sign in letters:
        value = values[place] if sign > 0 else inverses[place]
        total = value if total is None else multiply(total, value)
    return total


def default_names(count: int) -> tuple[str, ...]:
    """Names for generators that have none: a, b, c, d, f, ... (e is the identity)."""
    alphabet = "abcdfghijklmnopqrstuvwxyz"
    return tuple(alphabet[place] if count <= len(alphabet) else f"a{place}" for place in range(count))
