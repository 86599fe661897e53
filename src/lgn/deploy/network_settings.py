"""The settings of a training for a group, for free filters, and for the symmetries of an answer."""

from dataclasses import replace

import torch

from lgn.answer import Answer, ToldApart
from lgn.apply import Action, exact_matrices
from lgn.nn.image_action import TURNS, image_action
from lgn.training.config import FREE, Config

#: The learning rate of generators that start at a known action, relative to that of the network.
SLOW = 0.1


def with_group(config: Config, group: str) -> Config:
    """A network that is invariant to a group of turns and flips."""
    network = replace(config.network, group=group, generator="fixed", operator=(), gates=False)
    return replace(config, network=network)


def with_gates(config: Config, group: str) -> Config:
    """A network that learns to which elements of a group it is invariant."""
    given = with_group(config, group)
    return replace(given, network=replace(given.network, gates=True))


def with_learned_action(config: Config) -> Config:
    """A network whose generators start at the known action of its group and are trained slowly, one for all layers."""
    family = "cyclic" if len(config.network.finite_group.generators) == 1 else "representation"
    network = replace(config.network, generator=family, share="network", start="group")
    return replace(config, network=network, generator_rate=SLOW)


def with_free_filters(config: Config) -> Config:
    """A network with free filters and as many parameters: the control."""
    group = type(config.network)().group
    network = replace(config.network, group=group, generator=FREE, operator=(), gates=False)
    return replace(config, network=network)


def with_answer(config: Config, found: Answer) -> Config:
    """A network with the symmetries of an answer that preserve every class; free filters if there are none.

    If no group is kept, but turns within at least one step of the group C8, the network learns gates of C8.
    """
    action = None if found.group is None else found.action.moving_pixels().preserving_classes()
    if action is not None and action.group.order > 1 and _is_default(action, config.network.kernel_size):
        return with_group(config, action.group.name)
    if _tilts(found) >= 360 / TURNS:
        return with_gates(config, f"C{TURNS}")
    if action is None or action.group.order == 1:
        return with_free_filters(config)
    operator = tuple(action.elements[element].name for element in action.group.generator_elements)
    network = replace(config.network, group=action.group.name, generator="fixed", operator=operator)
    return replace(config, network=network)


def _is_default(action: Action, kernel_size: int) -> bool:
    """Whether the generator r turns by `360 / n` degrees, and s flips the columns."""
    try:
        default = image_action(action.group, kernel_size)
    except ValueError:  # neither a cyclic nor a dihedral group
        return False
    exact = exact_matrices(action, kernel_size)
    if exact is not None:
        return torch.equal(exact, default.matrices)
    first = action.group.generator_elements[0]
    return action.elements[first].parameter == 360 / action.group.element_orders[first]


def _tilts(found: Answer) -> float:
    """The range of small turns in degrees over which the samples seem to be spread; 0 if it is not known."""
    details = [
        evidence.detail for row in found.rows if row.transformation.family == "tilts" for evidence in row.evidence
    ]
    return max((detail.spread or 0.0 for detail in details if isinstance(detail, ToldApart)), default=0.0)
