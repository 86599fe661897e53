"""`ClassHead`: a linear head whose classes are permuted by a group."""

import torch
from torch import Tensor, nn

from lgn.actions import walk
from lgn.groups import Group


class ClassHead(nn.Module):
    """Class scores from codes in sets; an element of the group permutes the classes as it permutes the codes.

    The score of class c is `1/p sum_(k,g) V[g^-1 c, k] z[k, g]` plus a bias, so a code that moves from element g to u g
    moves its score from class c to u c.

    classes: the class that every class becomes under every generator of the group.

    Shapes: classes (generators, num_classes), codes (N, K * p) -> (N, num_classes)
    """

    inverses: Tensor

    def __init__(
        self,
        num_sets: int,
        classes: Tensor,
        *,
        group: Group,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.order = group.order
        linear = nn.Linear(num_sets, classes.shape[1], device=device, dtype=dtype)
        self.weight, self.bias = linear.weight, linear.bias
        self.register_buffer("inverses", element_permutations(group, classes).argsort(1).to(self.weight.device))

    def forward(self, codes: Tensor) -> Tensor:
        sets = codes.unflatten(1, (-1, self.order))
        weight, bias = self.weight[self.inverses], self.bias[self.inverses]  # (p, classes, K), (p, classes)
        return torch.einsum("nkg,gck->nc", sets, weight) / self.order + bias.mean(0)


def element_permutations(group: Group, classes: Tensor) -> Tensor:
    """The permutation of classes for every element, from the permutations for the generators.

    Shapes: (generators, num_classes) -> (order, num_classes)
    """
    classes = classes.cpu().long()
    identity = torch.arange(classes.shape[-1])
    if classes.shape != (len(group.generators), len(identity)) or not (classes.sort(1).values == identity).all():
        raise ValueError(f"classes must have one permutation per generator of {group.name}, got {classes.tolist()}")
    permutations = torch.stack(walk(lambda generator, found: classes[generator][found], identity, group.tree))
    for generator, element in enumerate(group.generator_elements):
        if not torch.equal(permutations[group.table[element]], classes[generator][permutations]):
            raise ValueError(f"classes must obey the relations of {group.name}, got {classes.tolist()}")
    return permutations
