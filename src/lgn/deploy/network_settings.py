"""The settings of a training for a group, for free filters, and for the symmetries of an answer."""

from dataclasses import replace

from torch import Tensor

from lgn.answer import Answer, ToldApart
from lgn.apply import Action, exact_matrices
from lgn.groups import Group
from lgn.nn.image_action import TURNS, image_action
from lgn.training.config import FREE, Config, NetworkConfig

#: Groups of turns and flips that permute pixels, the larger first.
EXACT = ("D4", "C4", "D2", "C2", "D1")
#: The groups of networks for images that all turns preserve.
CONTINUOUS = {"SO(2)": f"C{TURNS}", "O(2)": f"D{TURNS}"}


def with_group(config: Config, group: str, *, operator: tuple[str, ...] = (), gates: bool = False) -> Config:
    """A network that is invariant to a group of turns and flips, or learns gates: to which elements it is invariant."""
    network = replace(config.network, group=group, generator="fixed", operator=operator, gates=gates)
    return replace(config, network=network)


def with_free_filters(config: Config) -> Config:
    """A network with free filters and as many parameters: the control."""
    network = replace(config.network, group=NetworkConfig().group, generator=FREE, operator=(), gates=False)
    return replace(config, network=network)


def with_answer(config: Config, found: Answer) -> Config:
    """A network with the symmetries of an answer that preserve every class; free filters if there are none.

    If no group is kept, but turns within at least one step of the group C8, the network learns gates of C8.
    """
    action = None if found.group is None else found.action.moving_pixels().preserving_classes()
    if action is not None and found.name in CONTINUOUS and action.group == found.group:
        return with_group(config, CONTINUOUS[found.name])
    if action is not None and action.group.order > 1 and (name := _name(action)) is not None:
        return with_group(config, name)
    if _tilts(found) >= 360 / TURNS:
        return with_group(config, f"C{TURNS}", gates=True)
    if action is None or action.group.order == 1:
        return with_free_filters(config)
    operator = tuple(action.elements[element].name for element in action.group.generator_elements)
    return with_group(config, action.group.name, operator=operator)


def _name(action: Action) -> str | None:
    """The group of turns and flip of columns with the same action on images; None for another action."""
    matrices = action.matrices((3, 3))
    if exact_matrices(action, 3) is None:
        group, first = action.group, action.elements[action.group.generator_elements[0]]
        return group.name if len(group.generators) == 1 and first.parameter == 360 / group.order else None
    kept = _permutations(action.group, matrices)
    return next((name for name in EXACT if _permutations(*image_action(name, 3)[:2]) == kept), None)


def _permutations(group: Group, generators: Tensor) -> set[tuple[int, ...]]:
    """The elements of a group of permutations of pixels."""
    return {tuple(matrix.argmax(0).tolist()) for matrix in group.representation(generators)}


def _tilts(found: Answer) -> float:
    """The range of small turns in degrees over which the samples seem to be spread; 0 if it is not known."""
    tilts = [row for row in found.rows if row.transformation.family == "tilts"]
    details = [evidence.detail for row in tilts for evidence in row.evidence]
    return max((detail.spread or 0.0 for detail in details if isinstance(detail, ToldApart)), default=0.0)
