"""How far matrices are from a representation: the products of the words of the relations."""

from functools import reduce
from itertools import groupby

import torch
from torch import Tensor

from lgn.groups.group import Group
from lgn.groups.words import parse
from lgn.measures import identity_error


def relation_products(group: Group, matrices: Tensor) -> Tensor:
    """The product of matrices for each relation; the relation holds if and only if the product is the identity.

    The inverse of a generator of order q is computed as its power q - 1, so no matrix is inverted.

    Shapes: (generators, ..., d, d) -> (relations, ..., d, d)
    """
    products = []
    for relation in group.relations:
        powers = []
        for (place, sign), run in groupby(parse(relation, group.generators)):
            count = len(list(run))
            if sign < 0:
                count *= group.element_orders[group.generator_elements[place]] - 1
            powers.append(torch.linalg.matrix_power(matrices[place], count))
        products.append(reduce(torch.matmul, powers))
    return torch.stack(products)


def relation_error(group: Group, matrices: Tensor) -> Tensor:
    """The largest `||w(A) - I||_F / ||I||_F` over the relations w of the group: 0 if and only if all hold.

    Shapes: (generators, ..., d, d) -> (...)
    """
    group.require_one_for_each_generator(matrices)
    return identity_error(relation_products(group, matrices)).amax(0)
