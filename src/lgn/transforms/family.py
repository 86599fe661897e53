"""`Family`: transformations that belong together, and the versions of a sample that an observer tells apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from lgn.groups import Group
from lgn.transforms.transformation import Transformation

#: A version of a batch of samples.
Version = Callable[[Tensor, int], Tensor]


@dataclass(frozen=True, eq=False)
class Family:
    """Versions `h x` of a sample x, h = 0 ... versions - 1, and the transformations that lead from one to another.

    If the versions are a group, version h is element h, and every transformation is an element. On a *line* (shifts,
    scales) there is no group, and every transformation is a number of steps between versions.
    """

    name: str
    transformations: tuple[Transformation, ...]
    #: The version that an observer is shown: (N, C, ...), h -> (N, C, ...'), of one size for all h.
    show: Version
    #: The version itself: the same, except for versions that are resampled or cropped to be shown.
    act: Version
    #: The elements of the group that are versions, or the numbers of the versions on a line.
    elements: tuple[int, ...]
    group: Group | None = None
    #: Faithful matrices of the elements, (order, k, k), and their domain: families of one domain act together.
    matrices: Tensor | None = None
    domain: str = ""
    #: The continuous groups that the elements sample, without and with a reflection; empty for a finite group.
    limits: tuple[str, ...] = ()
    #: Whether versions are resampled, which leaves traces.
    resampled: bool = False
    #: Whether a smaller copy of a sample is transformed as the sample is.
    scales: bool = True
    #: How a range of the parameter is written, such as "within {:.0f} degrees".
    range: str = ""
    #: Whether parameters are logarithms of factors.
    logarithmic: bool = False

    @property
    def versions(self) -> int:
        """The number of versions."""
        return len(self.elements)

    def pairs(self, transformation: Transformation) -> tuple[tuple[int, int], ...]:
        """All pairs of versions `(h, h T)`."""
        step = transformation.element
        assert step is not None
        if self.group is None:
            return tuple((h, h + step) for h in range(self.versions - step))
        place = {element: version for version, element in enumerate(self.elements)}
        return tuple((place[h], place[int(self.group.table[h, step])]) for h in self.elements)

    def restricted(self, elements: tuple[int, ...]) -> "Family":
        """The versions of a subgroup alone, in its order."""
        if elements == self.elements:
            return self
        transformations = tuple(one for one in self.transformations if one.element in elements)
        versions = [self.elements.index(element) for element in elements]
        return replace(
            self,
            transformations=transformations,
            show=lambda samples, version: self.show(samples, versions[version]),
            elements=elements,
        )

    def __getitem__(self, name: str) -> Transformation:
        """The transformation with this name."""
        return next(one for one in self.transformations if one.name == name)


def group_family(
    name: str, group: Group, transformations: Sequence[Transformation], act: Version, **options: object
) -> Family:
    """A family whose versions are the elements of a group; `act(act(x, h), g)` must be `act(x, g h)`.

    A transformation without a function of its own is `act` with its element.
    """
    made = []
    for one in transformations:
        assert one.element is not None
        function = one.function or Element(act, one.element)
        made.append(replace(one, function=function, order=group.element_orders[one.element], family=name))
    show = options.pop("show", act)
    return Family(name, tuple(made), show, act, tuple(range(group.order)), group, **options)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Element:
    """An action with one element of its group: a function of samples."""

    act: Callable[..., Tensor]
    element: float

    def __call__(self, samples: Tensor) -> Tensor:
        return self.act(samples, self.element)


def rotations(count: int, reflections: bool) -> Tensor:
    """Turns of the plane by `360 / count` degrees, as `cyclic` or `dihedral` counts them.  -> (order, 2, 2)"""
    angle = 2 * torch.pi * torch.arange(count, dtype=torch.float64, device="cpu") / count
    turns = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], 1).view(count, 2, 2)
    if not reflections:
        return turns
    return torch.cat([turns, turns @ torch.diag(torch.tensor([1.0, -1.0], dtype=torch.float64, device="cpu"))])
