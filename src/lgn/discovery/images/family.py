"""A family: versions of an image that one network is asked to tell apart, and the candidates among them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from torch import Tensor

from lgn.groups import Group, as_group

Action = Callable[[Tensor, int], Tensor]


@dataclass(frozen=True)
class Candidate:
    """A transformation T that may be a symmetry: its name, and all pairs of versions `(h, h T)` of its family.

    element: its number in the group of the family; None on a line.
    parameter: an angle, a shift, the logarithm of a scale, where there is one.
    """

    name: str
    pairs: tuple[tuple[int, int], ...]
    element: int | None = None
    parameter: float | None = None


@dataclass(frozen=True, eq=False)
class Family:
    """Versions `h x` of an image x, h = 0 ... versions - 1, that one network tells apart.

    Where they are a group, version h is element h of it and every candidate is an element. A *line* (shifts, scales)
    has no group: its candidates are the distances between versions.
    """

    name: str
    versions: int
    candidates: tuple[Candidate, ...]
    #: The version of images that an observer is shown: (N, C, H, W), h -> (N, C, H', W'), of one size for all.
    show: Action
    #: The transformation itself: the same, but where versions are resampled, and of the size of the image.
    act: Action
    #: The name of the group (`lgn.groups.named`); None for a line.
    group_name: str | None = None
    #: Whether versions are resampled, which leaves traces.
    resampled: bool = False
    #: Whether it does to a smaller copy of an image what it does to the image.
    scales: bool = True
    #: What of images it acts on, where that is not the images themselves: (N, C, H, W) -> (N, C', H', W').
    view: Callable[[Tensor], Tensor] | None = None
    #: Which elements of the group its versions are, where they are not all of them.
    elements: tuple[int, ...] = ()

    @property
    def group(self) -> Group | None:
        return None if self.group_name is None else as_group(self.group_name)

    def restricted(self, elements: tuple[int, ...]) -> "Family":
        """The versions of a subgroup alone, in its order."""
        mine = self.elements or tuple(range(self.versions))
        if elements == mine:
            return self
        versions = [mine.index(element) for element in elements]
        place = {version: number for number, version in enumerate(versions)}
        candidates = tuple(
            replace(each, pairs=tuple((place[h], place[t]) for h, t in each.pairs if h in place))
            for each in self.candidates
            if each.element in elements
        )

        def show(images: Tensor, version: int) -> Tensor:
            return self.show(images, versions[version])

        return replace(self, versions=len(elements), candidates=candidates, show=show, elements=elements)

    def candidate(self, name: str) -> Candidate:
        return next(each for each in self.candidates if each.name == name)


def of_group(
    name: str,
    group_name: str,
    names: dict[int, str],
    act: Action,
    *,
    show: Action | None = None,
    parameters: dict[int, float] | None = None,
    resampled: bool = False,
    scales: bool = True,
) -> Family:
    """A family whose versions are the elements of a group; `names` says which of them are candidates.

    `act(act(x, h), g)` must be `act(x, g h)`: the right factor acts first.
    """
    group = as_group(group_name)
    candidates = tuple(
        Candidate(
            words,
            tuple((h, int(group.table[h, element])) for h in range(group.order)),
            element,
            (parameters or {}).get(element),
        )
        for element, words in names.items()
    )
    return Family(name, group.order, candidates, show or act, act, group_name, resampled=resampled, scales=scales)


def of_line(
    name: str,
    values: tuple[float, ...],
    spelled: Callable[[float], str],
    show: Callable[[Tensor, float], Tensor],
    *,
    resampled: bool = False,
    scales: bool = False,
) -> Family:
    """A family on a line: versions at evenly spaced values about 0, candidates at every distance between them."""
    step = (values[-1] - values[0]) / (len(values) - 1)
    candidates = tuple(
        Candidate(
            spelled(step * apart), tuple((h, h + apart) for h in range(len(values) - apart)), parameter=step * apart
        )
        for apart in range(1, len(values))
    )

    def version(images: Tensor, h: int) -> Tensor:
        return show(images, values[h])

    return Family(name, len(values), candidates, version, version, resampled=resampled, scales=scales)
