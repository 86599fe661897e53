"""`Action`: a finite group with what its elements do to samples and to classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from lgn.actions import Patch, matrix_of
from lgn.groups import Group
from lgn.transforms import Transformation


@dataclass(frozen=True, eq=False)
class Action:
    """A finite group that acts on samples by transformations and on classes by permutations.

    The element `g h` applies h first. `permutations` holds one permutation of the classes per generator, where class c
    becomes class `permutation[c]`; an empty permutation leaves all classes as they are.
    """

    group: Group
    #: One transformation per generator of the group.
    transformations: tuple[Transformation, ...]
    permutations: tuple[tuple[int, ...], ...]

    def __call__(self, element: int, samples: Tensor) -> Tensor:
        """The element applied to a batch of samples.  (N, ...) -> (N, ...)"""
        for generator, sign in reversed(self.group.letters[element]):
            transformation = self.transformations[generator]
            samples = (transformation if sign > 0 else transformation.inverse)(samples)
        return samples

    @cached_property
    def permutes_classes(self) -> bool:
        """Whether some element moves a class."""
        return any(permutation != tuple(range(len(permutation))) for permutation in self.permutations)

    def classes(self, count: int) -> Tensor:
        """The class that each class becomes, for every element.  -> (order, count)"""
        places = [torch.tensor(permutation or range(count)) for permutation in self.permutations]
        found = {0: torch.arange(count)}
        for element, generator, earlier in self.group.tree:
            found[element] = places[generator][found[earlier]]
        return torch.stack([found[element] for element in range(self.group.order)])

    def matrices(self, patch: Patch) -> Tensor:
        """The generators as matrices on patches.  -> (generators, d, d)"""
        if not self.transformations:
            raise ValueError("group must have more than one element to act on patches, got the trivial group")
        return torch.stack([matrix_of(transformation, patch) for transformation in self.transformations])

    def subgroup(self, elements: Sequence[int]) -> "Action":
        """The action of the subgroup that some elements generate."""
        part = self.group.subgroup(elements)
        group = part.group()
        generators = [part.elements[element] for element in group.generator_elements]

        def transformation(element: int) -> Transformation:
            return Transformation(self.group.words[element], function=lambda samples: self(element, samples))

        count = max(map(len, self.permutations), default=0)
        permutations = [tuple(self.classes(count)[element].tolist()) for element in generators]
        return Action(group, tuple(map(transformation, generators)), tuple(permutations))


def action_of(group: Group, by_word: Mapping[str, tuple[Transformation, tuple[int, ...]]]) -> Action:
    """The action of a group whose elements are given by words; every generator must be among them."""
    by_element = {group.element(word): found for word, found in by_word.items()}
    missing = [
        name
        for name, element in zip(group.generators, group.generator_elements, strict=True)
        if element not in by_element
    ]
    if missing:
        raise ValueError(f"by_word must hold all generators of {group.name}, got none for {missing[0]}")
    found = [by_element[element] for element in group.generator_elements]
    return Action(group, tuple(transformation for transformation, _ in found), tuple(classes for _, classes in found))
