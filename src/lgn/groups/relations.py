"""How far matrices are from being a representation: the words of the relations, multiplied out."""

from itertools import groupby

import torch
from torch import Tensor

from lgn.groups.group import Group
from lgn.measures import identity_error


def relation_products(group: Group, matrices: Tensor) -> Tensor:
    """The product that each relation is, the identity if and only if the relation holds.

    The inverse of a generator a is `a^(q-1)`, q being its order, so that nothing is inverted.

    Shapes: (generators, ..., d, d) -> (relations, ..., d, d)
    """
    products = []
    for relation in group.relations:
        total: Tensor | None = None
        for (place, sign), run in groupby(group.parse(relation)):
            count = len(list(run))
            if sign < 0:
                count *= group.element_orders[group.generator_elements[place]] - 1
            power = torch.linalg.matrix_power(matrices[place], count)
            total = power if total is None else total @ power
        assert total is not None
        products.append(total)
    return torch.stack(products)


def relation_error(group: Group, matrices: Tensor) -> Tensor:
    """The largest `||w(A) - I||_F / ||I||_F` over the relations w: 0 if and only if all hold.

    Shapes: (generators, ..., d, d) -> (...)
    """
    if len(matrices) != len(group.generators):
        names = ", ".join(group.generators)
        raise ValueError(f"matrices must be one for each of {names} of {group.name}, got {len(matrices)}")
    return identity_error(relation_products(group, matrices)).amax(0)
