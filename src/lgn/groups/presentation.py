"""Relations that define a group, from its table: Schreier's relations, reduced by sympy's coset enumeration."""

from collections.abc import Sequence

from lgn.groups.multiplication import Table, element_orders
from lgn.groups.words import Letters, inverted, reduced


def relations_of(table: Table, generators: Sequence[int], words: Sequence[Letters]) -> tuple[Letters, ...]:
    """Words that equal the identity and imply every other such word.

    These are the powers of the generators, then the shortest of Schreier's relations `word(a g)^-1 a word(g)` that are
    needed. Schreier's relations are complete; a relation is needed if the other relations define a larger group.
    """
    orders = element_orders(table)
    powers = [((place, 1),) * orders[g] for place, g in enumerate(generators)]
    schreier = {
        reduced((*inverted(words[table[a][g]]), (place, 1), *words[g]))
        for g in range(len(table))
        for place, a in enumerate(generators)
    }
    # A generator of order 2 is written without an inverse.
    involutions = {place for place, g in enumerate(generators) if orders[g] == 2}
    positive = {
        tuple((place, 1 if place in involutions else sign) for place, sign in word) for word in schreier if word
    }
    others = sorted(positive - set(powers), key=lambda word: (len(word), sum(sign < 0 for _, sign in word), word))
    chosen = list(powers)
    for word in others:
        if _order(chosen, len(generators), len(table)) == len(table):
            break
        chosen.append(word)
    for word in reversed(chosen[len(powers) :]):  # a longer relation may have made an earlier one redundant
        rest = [other for other in chosen if other != word]
        if _order(rest, len(generators), len(table)) == len(table):
            chosen = rest
    return tuple(chosen)


def _order(relations: Sequence[Letters], generators: int, expected: int) -> int | None:
    """The order of the group that relations define, or None if the enumeration finds too many cosets."""
    if not generators:
        return 1
    from sympy.combinatorics.coset_table import coset_enumeration_r
    from sympy.combinatorics.fp_groups import FpGroup
    from sympy.combinatorics.free_groups import free_group

    free, *letters = free_group(",".join(f"x{place}" for place in range(generators)))
    relators = []
    for relation in relations:
        word = free.identity
        for place, sign in relation:
            word = word * letters[place] ** sign
        relators.append(word)
    try:
        cosets = coset_enumeration_r(FpGroup(free, relators), [], max_cosets=20 * expected + 100)
    except ValueError:  # the relations define a larger group
        return None
    cosets.compress()
    return len(cosets.table)
