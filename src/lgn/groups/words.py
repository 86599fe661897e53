"""Words in the generators of a group: `r^2 s` is the product of r, r and s; the right factor acts first.

A word is text such as `s r^2`, or letters: pairs of a generator's place and an exponent, 1 or -1.
"""

import re
from collections.abc import Sequence
from itertools import groupby

Letters = tuple[tuple[int, int], ...]
IDENTITY = "e"


def parse(word: str, generators: Sequence[str]) -> Letters:
    """The letters of a word such as `s r^2 s^-1`; `e` is the empty word."""
    letters: list[tuple[int, int]] = []
    for part in word.split():
        found = re.fullmatch(r"([A-Za-z_]\w*)(?:\^(-?\d+))?", part)
        if found is None or found[1] not in (*generators, IDENTITY):
            raise ValueError(f"word must consist of {', '.join(generators)} and powers such as r^2, got {word!r}")
        exponent = int(found[2] or 1)
        if found[1] in generators:
            letters += [(generators.index(found[1]), 1 if exponent > 0 else -1)] * abs(exponent)
    return tuple(letters)


def spell(letters: Sequence[tuple[int, int]], generators: Sequence[str]) -> str:
    """The text of letters, with powers."""
    parts = []
    for (place, sign), run in groupby(letters):
        exponent = sign * len(list(run))
        parts.append(generators[place] if exponent == 1 else f"{generators[place]}^{exponent}")
    return " ".join(parts) or IDENTITY


def inverted(letters: Letters) -> Letters:
    """The word of the inverse."""
    return tuple((place, -sign) for place, sign in reversed(letters))


def reduced(letters: Letters) -> Letters:
    """The shortest word of the same conjugacy class: letters that cancel are removed, inside and across the ends."""
    kept: list[tuple[int, int]] = []
    for place, sign in letters:
        if kept and kept[-1] == (place, -sign):
            kept.pop()
        else:
            kept.append((place, sign))
    while len(kept) > 1 and kept[0] == (kept[-1][0], -kept[-1][1]):
        kept = kept[1:-1]
    return tuple(kept)


def default_names(count: int) -> tuple[str, ...]:
    """Names for generators without names: a, b, c, d, f, ... (e is the identity)."""
    alphabet = "abcdfghijklmnopqrstuvwxyz"
    return tuple(alphabet[place] if count <= len(alphabet) else f"a{place}" for place in range(count))


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names, with the next free number for a name that is taken: r, r, s becomes r, r2, s."""
    found: list[str] = []
    for name in names:
        chosen, number = name, 2
        while chosen in found:
            chosen, number = f"{name.rstrip('0123456789')}{number}", number + 1
        found.append(chosen)
    return tuple(found)
