"""`Action`: a finite group with what its elements do to samples and to classes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import Tensor

from lgn.actions import Patch, matrix_of
from lgn.groups import Group
from lgn.transforms import Transformation

#: Families of transformations that change values or channels and move no pixels.
VALUES = ("channels", "negative", "sign")
#: The family of products of elements that have no name of their own.
PRODUCT = "product"
#: The identity as a transformation.
IDENTITY = Transformation("identity", function=lambda samples: samples, order=1)


@dataclass(frozen=True, eq=False)
class Action:
    """A finite group that acts on samples by transformations and on classes by permutations.

    `classes[g, c]` is the class that class c becomes under element g; None leaves all classes as they are.
    The element `g h` applies h first.

    Shapes: classes (order, count)
    """

    group: Group
    #: One transformation per element of the group, the identity first.
    elements: tuple[Transformation, ...]
    classes: Tensor | None = None

    def matrices(self, patch: Patch) -> Tensor:
        """The generators as matrices on patches.  -> (generators, d, d)"""
        if self.group.order == 1:
            raise ValueError("group must have at least 2 elements to act on patches, got the trivial group")
        generators = [self.elements[element] for element in self.group.generator_elements]
        if values := [generator.name for generator in generators if generator.family in VALUES]:
            raise ValueError(f"group must move pixels to act on patches, got {', '.join(values)}: use moving_pixels()")
        return torch.stack([matrix_of(generator, patch) for generator in generators])

    def subgroup(self, elements: Sequence[int]) -> "Action":
        """The action of the subgroup that the given elements generate."""
        part = self.group.subgroup(elements)
        classes = None if self.classes is None else self.classes[list(part.elements)]
        return Action(part.group(), tuple(self.elements[element] for element in part.elements), classes)

    def moving_pixels(self) -> "Action":
        """The action of the subgroup that the elements which move pixels generate, without those of values."""
        still = (*VALUES, PRODUCT)
        return self.subgroup([place for place, element in enumerate(self.elements) if element.family not in still])

    def preserving_classes(self) -> "Action":
        """The action of the elements that leave all classes as they are."""
        if self.classes is None:
            return self
        fixed = (self.classes == torch.arange(self.classes.shape[1])).all(1).nonzero().flatten().tolist()
        return replace(self.subgroup(fixed), classes=None)


def action_of(group: Group, known: Mapping[str, tuple[Transformation, tuple[int, ...]]]) -> Action:
    """The action of a group from transformations and permutations of classes, by the words of elements.

    The generators must be known; other elements that are not known are products of the generators.
    """
    given = {group[word].number: found for word, found in known.items()}
    for name, element in zip(group.generators, group.generator_elements, strict=True):
        if element not in given:
            raise ValueError(f"known must hold every generator of {group.name}, got none for {name}")
    elements, places = {0: IDENTITY}, {0: None if not _moved(given) else torch.arange(_moved(given))}
    for element, generator, earlier in group.tree:
        outer, permutation = given[group.generator_elements[generator]]
        composed = partial(_compose, outer, elements[earlier])
        product = Transformation(group.words[element], function=composed, family=PRODUCT)
        elements[element] = given[element][0] if element in given else product
        before = places[earlier]
        places[element] = None if before is None else torch.tensor(permutation or range(len(before)))[before]
    rows = [places[element] for element in range(group.order)]
    classes = None if rows[0] is None else torch.stack([row for row in rows if row is not None])
    return Action(group, tuple(elements[element] for element in range(group.order)), classes)


def _compose(outer: Transformation, inner: Transformation, samples: Tensor) -> Tensor:
    return outer(inner(samples))


def _moved(given: Mapping[int, tuple[Transformation, tuple[int, ...]]]) -> int:
    """The number of classes if an element moves a class, otherwise 0."""
    return max((len(classes) for _, classes in given.values() if classes != tuple(range(len(classes)))), default=0)
