"""The name of a group, of its table: equal names for equal groups, whatever their elements are called."""

from collections import Counter
from math import prod

from lgn.groups.tables import Table, element_orders, generated, is_abelian, is_normal, restricted, subgroups

LARGEST = 64  # above this order subgroups are too many to look for products among them


def name_of(table: Table) -> str:
    """`trivial`, `C4`, `C2 x C2`, `S3`, `D4`, `Q8`, `A4`, `Dic3`, `S4`, a product of these, or `a group of order 16`.

    Abelian groups are written by their invariant factors, so that C2 x C3 is C6; the dihedral group of the triangle,
    which is S3, by that name.
    """
    n = len(table)
    if n == 1:
        return "trivial"
    orders = element_orders(table)
    if is_abelian(table):
        return " x ".join(f"C{factor}" for factor in _invariant_factors(orders))
    return _simple_name(table, orders) or _product_name(table) or f"a group of order {n}"


def _invariant_factors(orders: tuple[int, ...]) -> list[int]:
    """`[n_1, n_2, ...]`, each dividing the next, of the abelian group with elements of these orders."""
    n, columns = len(orders), list[list[int]]()
    for p in (p for p in range(2, n + 1) if n % p == 0 and all(p % q for q in range(2, p))):
        # Elements with g^(p^k) = e number p^(sum over cyclic factors of min(k, their exponent)).
        exponents, k, before = [], 1, 0
        while True:
            dimension = _logarithm(sum(p**k % order == 0 for order in orders), p)
            at_least_k = dimension - before  # factors whose exponent is k or more
            if not at_least_k:
                break
            exponents.append(at_least_k)
            before, k = dimension, k + 1
        columns.append([p ** sum(count > i for count in exponents) for i in range(exponents[0])])
    factors = [prod(column[i] for column in columns if i < len(column)) for i in range(max(map(len, columns)))]
    return factors[::-1]


def _logarithm(value: int, base: int) -> int:
    exponent = 0
    while value > 1:
        value, exponent = value // base, exponent + 1
    return exponent


def _simple_name(table: Table, orders: tuple[int, ...]) -> str | None:
    """The name of a group that is not abelian, from what defines it."""
    n, counts = len(table), Counter(orders)
    half = [g for g in range(n) if 2 * orders[g] == n]
    if half:
        r = half[0]
        turns = generated(table, [r])
        inverse = list(table[r]).index(0)
        squares = {table[s][s] for s in range(n) if s not in turns and table[s][r] == table[inverse][s]}
        if squares == {0}:
            return "S3" if n == 6 else f"D{n // 2}"
        if squares and len(squares) == 1:
            return f"Q{n}" if n & (n - 1) == 0 else f"Dic{n // 4}"
    if n == 12 and counts == {1: 1, 2: 3, 3: 8}:
        return "A4"
    if n == 24 and counts == {1: 1, 2: 9, 3: 8, 4: 6}:
        return "S4"
    return None


def _product_name(table: Table) -> str | None:
    """`H x K` for the largest factor H that has a name and a normal complement K."""
    n = len(table)
    if n > LARGEST:
        return None
    normal = [each for each in subgroups(table) if 1 < len(each) < n and is_normal(table, each)]
    for larger in reversed(normal):
        for smaller in normal:
            if len(larger) * len(smaller) == n and len(larger) >= len(smaller) and len(larger & smaller) == 1:
                names = [name_of(restricted(table, sorted(part))) for part in (larger, smaller)]
                if not any(name.startswith("a group") for name in names):
                    return " x ".join(names)
    return None
