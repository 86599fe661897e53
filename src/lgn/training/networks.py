"""From images to the network that their symmetries ask for: an answer, as settings of a training."""

from dataclasses import replace

from torch import Tensor

from lgn.answer import Answer, ToldApart
from lgn.apply import Action
from lgn.discovery.images import discover_images
from lgn.nn.image_action import TURNS, found_name
from lgn.training.config import FREE, Config

SLOWLY = 0.1  # the rate of generators that begin with what was found, over that of the network
#: The group of a network for images that keep all turns.
CONTINUOUS = {"SO(2)": f"C{TURNS}", "O(2)": f"D{TURNS}"}


def ask(
    images: Tensor, labels: Tensor, seed: int, class_names: tuple[str, ...] = (), *, progress: bool = False
) -> Answer:
    """Which turns and flips images keep, and which of those their labels survive.  images: uint8 (N, C, H, W)"""
    square = images.shape[-1] == images.shape[-2]
    candidates = ("turns", "flips", "angles", "tilts") if square else ("turns", "flips")
    return discover_images(
        images, labels, kind="images", class_names=class_names, candidates=candidates, seed=seed, progress=progress
    )


def for_task(found: Answer) -> Action | None:
    """The group that leaves every class as it is; a network for a larger one could not tell the classes apart."""
    return None if found.group is None else found.action.preserving_classes()


def with_group(config: Config, group: str) -> Config:
    """The settings of a network that keeps a group by its name."""
    network = replace(config.network, group=group, generator="fixed", operator=(), gates=False)
    return replace(config, network=network)


def with_gates(config: Config, group: str) -> Config:
    """The settings of a network that learns which elements of a group to keep."""
    given = with_group(config, group)
    return replace(given, network=replace(given.network, gates=True))


def trained_on(config: Config) -> Config:
    """The settings of a network whose generators begin with its group and go on learning, slowly, one for all layers.

    Relations hold for ever: what is learned is how the group acts on filters.
    """
    family = "cyclic" if len(config.network.finite_group.generators) == 1 else "representation"
    network = replace(config.network, generator=family, share="network", start="group")
    return replace(config, network=network, generator_rate=SLOWLY)


def with_free_filters(config: Config) -> Config:
    """The settings of the same network with free filters and as many parameters: the control."""
    group = type(config.network)().group
    network = replace(config.network, group=group, generator=FREE, operator=(), gates=False)
    return replace(config, network=network)


def with_found(config: Config, found: Answer) -> Config:
    """The settings of the network that an answer leads to: free filters if nothing is kept.

    If images are turned within a range only, the turns are learned by gates, provided that the range is as wide as a
    step of the group.
    """
    action = for_task(found)
    if action is not None and found.name in CONTINUOUS and action.group == found.group:
        return with_group(config, CONTINUOUS[found.name])
    if action is None or action.group.order == 1:
        if 2 * _tilt(found) >= 360 / TURNS:
            return with_gates(config, f"C{TURNS}")
        return with_free_filters(config)
    name = found_name(action.group, action.matrices((3, 3)))
    if name is not None:
        return with_group(config, name)
    operators = tuple(action.elements[element].name for element in action.group.generator_elements)
    network = replace(config.network, group=action.group.name, generator="fixed", operator=operators)
    return replace(config, network=network)


def _tilt(found: Answer) -> float:
    """How far images are turned in either direction, in degrees."""
    details = [row.evidence[0].detail for row in found.rows if row.transformation.family == "tilts"]
    return max((one.spread / 2 for one in details if isinstance(one, ToldApart) and one.spread is not None), default=0)
