"""From images to the network that their symmetries ask for: what is found, as settings of a training."""

from collections.abc import Callable
from dataclasses import replace

from torch import Tensor

from lgn.discovery.images import Symmetries, symmetries
from lgn.discovery.images.verdict import Word
from lgn.nn.image_action import TURNS, found_name
from lgn.training.config import FREE, Config

SLOWLY = 0.1  # the rate of generators that begin with what was found, over that of the network


def ask(
    images: Tensor,
    labels: Tensor,
    seed: int,
    class_names: tuple[str, ...] = (),
    progress: Callable[[str], None] | None = None,
) -> Symmetries:
    """Which turns and flips images keep, and which of those their labels survive.  images: uint8 (N, C, H, W)"""
    square = images.shape[-1] == images.shape[-2]
    candidates = ("turns", "flips", "angles", "tilts") if square else ("turns", "flips")
    asked = ("images", "labels")
    return symmetries(images, labels, candidates, seed, evidence=asked, class_names=class_names, progress=progress)


def for_task(found: Symmetries) -> Symmetries:
    """What is found less what labels do not survive: a network that keeps it would not tell them apart."""
    less: dict[str | None, Word] = {"undecided": "undecided", "permuted": "broken", "lost": "broken"}
    rows = (replace(row, images=less[row.labels]) if row.labels in less else row for row in found.rows)
    return replace(found, rows=tuple(rows))


def operators_of(found: Symmetries) -> tuple[str | None, tuple[str, ...]]:
    """The name of the group that is kept, and an operator for each of its generators."""
    names = found.generators_kept
    if not names:
        return None, ()
    order, operators = 4 if names[0] in ("turn 90", "turn 270") else 2, names
    # Every subgroup of the symmetries of a square is cyclic, or dihedral with a turn and a flip for generators.
    return f"{'C' if len(names) == 1 else 'D'}{order}", operators


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


def with_found(config: Config, found: Symmetries) -> Config:
    """The settings of the network that what was found leads to: free filters where nothing is kept.

    Turns that are kept within a range alone are learned, by gates: where the range is as wide as a step of the group.
    """
    kept = for_task(found)
    name = found_name(kept)
    if name is None and 2 * found.ranges.get("tilts", 0.0) >= 360 / TURNS:
        return with_gates(config, f"C{TURNS}")
    if name is not None:
        return with_group(config, name)
    group, operators = operators_of(kept)
    if group is None:
        return with_free_filters(config)
    return replace(config, network=replace(config.network, group=group, generator="fixed", operator=operators))
