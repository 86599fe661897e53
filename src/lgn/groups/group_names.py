"""The name of a group, computed from its multiplication table: isomorphic groups have equal names."""

from collections import Counter
from math import log, prod

from lgn.groups.multiplication import Table, element_orders, generated, is_abelian, is_normal, restricted, subgroups

LARGEST = 64  # groups of larger order have too many subgroups to search for direct products
#: Groups that the orders of their elements identify: the number of elements, and how many there are of each order.
BY_ORDERS = {
    (12, ((1, 1), (2, 3), (3, 8))): "A4",
    (24, ((1, 1), (2, 9), (3, 8), (4, 6))): "S4",
    (60, ((1, 1), (2, 15), (3, 20), (5, 24))): "A5",
    (120, ((1, 1), (2, 25), (3, 20), (4, 30), (5, 24), (6, 20))): "S5",
}


def name_of(table: Table) -> str:
    """`trivial`, `C4`, `C2 x C2`, `S3`, `D4`, `Q8`, `A4`, `Dic3`, a product of these, or `a group of order 16`.

    Abelian groups are named by their invariant factors, so that C2 x C3 is C6; D3 is named S3.
    """
    return _name(table) or f"a group of order {len(table)}"


def _name(table: Table) -> str | None:
    if len(table) == 1:
        return "trivial"
    orders = element_orders(table)
    if is_abelian(table):
        return " x ".join(f"C{factor}" for factor in _invariant_factors(orders))
    return _simple_name(table, orders) or _product_name(table)


def _invariant_factors(orders: tuple[int, ...]) -> list[int]:
    """`[n_1, n_2, ...]`, where each divides the next, of the abelian group with elements of these orders."""
    n, columns = len(orders), list[list[int]]()
    for p in (p for p in range(2, n + 1) if n % p == 0 and all(p % q for q in range(2, p))):
        # The number of elements with g^(p^k) = e is p^(sum over cyclic factors of min(k, exponent of the factor)).
        exponents, k, before = [], 1, 0
        while True:
            dimension = round(log(sum(p**k % order == 0 for order in orders), p))
            at_least_k = dimension - before  # the number of factors with an exponent of k or more
            if not at_least_k:
                break
            exponents.append(at_least_k)
            before, k = dimension, k + 1
        columns.append([p ** sum(count > i for count in exponents) for i in range(exponents[0])])
    factors = [prod(column[i] for column in columns if i < len(column)) for i in range(max(map(len, columns)))]
    return factors[::-1]


def _simple_name(table: Table, orders: tuple[int, ...]) -> str | None:
    """The name of a dihedral, dicyclic or quaternion group, or of a group in `BY_ORDERS`."""
    n = len(table)
    half = [g for g in range(n) if 2 * orders[g] == n]
    if half:
        r = half[0]
        rotations = generated(table, [r])
        inverse = list(table[r]).index(0)
        squares = {table[s][s] for s in range(n) if s not in rotations and table[s][r] == table[inverse][s]}
        if squares == {0}:
            return "S3" if n == 6 else f"D{n // 2}"
        if squares and len(squares) == 1:
            return f"Q{n}" if n & (n - 1) == 0 else f"Dic{n // 4}"
    return BY_ORDERS.get((n, tuple(sorted(Counter(orders).items()))))


def _product_name(table: Table) -> str | None:
    """`H x K` for the largest normal subgroup H with a name and a normal complement K with a name."""
    n = len(table)
    if n > LARGEST:
        return None
    normal = [subgroup for subgroup in subgroups(table) if 1 < len(subgroup) < n and is_normal(table, subgroup)]
    for larger in reversed(normal):
        for smaller in normal:
            if len(larger) * len(smaller) == n and len(larger) >= len(smaller) and len(larger & smaller) == 1:
                names = [_name(restricted(table, sorted(part))) for part in (larger, smaller)]
                if names[0] and names[1]:
                    return f"{names[0]} x {names[1]}"
    return None
