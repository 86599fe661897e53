"""The answer about a network, from the findings about its layers."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from lgn.actions import size_text
from lgn.answer import Answer, DataSummary
from lgn.discovery.networks.copies import ENOUGH, LEVEL
from lgn.discovery.networks.findings import LayerFindings
from lgn.discovery.networks.next_layer import Continuation
from lgn.groups import Subgroup
from lgn.transforms import SQUARE

#: Filters are shown as pictures if they have one of these numbers of channels, and if they are not too many.
PICTURED_CHANNELS, MOST_PICTURES = (1, 3), 160


def network_answer(
    first_weights: Tensor,
    layers: Sequence[LayerFindings],
    continued: Mapping[str, Sequence[Continuation]],
    not_inspected: Mapping[str, str],
    seed: int,
) -> Answer:
    """The answer of `lgn.inspect`; its group, sentence and pictures are those of the first layer.

    continued: by "first to second". not_inspected: the reasons, by the name of the layer.
    """
    first, *others = layers
    steps = {step: [known for known in tested if known.continues] for step, tested in continued.items()}
    notes = _notes(first)
    for other in others:
        groups = f"copies under {group_text(other.group)}, balanced under {group_text(other.balanced)}"
        notes.append(f"{other.layer} ({size_text(other.shape)}): {groups}")
    for step, known in steps.items():
        names = ", ".join(f"{one.name} (cosine {one.cosine:.2f})" for one in known)
        notes.append(f"from {step}: {names or 'no transformation'} continues")
    for reason in dict.fromkeys(not_inspected.values()):
        names = ", ".join(name for name, why in not_inspected.items() if why == reason)
        notes.append(f"not inspected, weights {reason}: {names}")
    count, channels = first_weights.shape[:2]
    is_pictured = channels in PICTURED_CHANNELS and count <= MOST_PICTURES
    return Answer(
        question="filters",
        data=DataSummary(
            kind="network",
            count=len(layers) + len(not_inspected),
            shape=first.shape,
            examples=first_weights.detach().cpu().float() if is_pictured else None,
        ),
        rows=tuple(row for layer in layers for row in layer.rows),
        sentence=_sentence(first),
        name=first.group.name if first.group.order > 1 else "",
        group=first.group.group() if first.rows else None,
        notes=tuple(notes),
        level=LEVEL,
        seed=seed,
        settings={
            "layers": tuple(layer.layer for layer in layers),
            "filters": tuple(float(len(layer.bank.filters)) for layer in layers),
            "power": tuple(layer.power for layer in layers),
            "groups": tuple(layer.group.name for layer in layers),
            "balanced_groups": tuple(layer.balanced.name for layer in layers),
            "not_inspected": tuple(not_inspected),
            "steps": tuple(steps),
            "continued": tuple(f"{step}: {one.name}" for step, known in steps.items() for one in known),
        },
    )


def group_text(group: Subgroup) -> str:
    """The name of a group of turns and flips with its elements, or "no turn or flip"."""
    if group.order == 1:
        return "no turn or flip"
    return f"{group.name} ({', '.join(SQUARE[element] for element in group.elements[1:])})"


def _sentence(layer: LayerFindings) -> str:
    count, filters = len(layer.bank.filters), f"The filters of {layer.layer}" if layer.layer else "The filters"
    if layer.group.order > 1:
        inside = f"{layer.inside} of {count} filters are in orbits"
        return f"{filters} are copies of each other under {group_text(layer.group)}: {inside}."
    if layer.power < ENOUGH:
        return f"{filters} are too few to decide whether they are copies of each other."
    return f"{filters} are not copies of each other under turns and flips."


def _notes(layer: LayerFindings) -> list[str]:
    """Details about one layer."""
    bank, group, notes = layer.bank, layer.group, []
    if bank.dead or bank.flat:
        notes.append(f"{len(bank.dead)} dead and {len(bank.flat)} constant filters are left out")
    top, bottom, left, right = bank.window
    if (bottom - top + 1, right - left + 1) != layer.shape[-2:]:
        down, across = bank.off_centre
        notes.append(
            f"the filters are {down:+.2f} pixels down and {across:+.2f} pixels right of the middle: "
            f"rows {top} to {bottom} and columns {left} to {right} are compared"
        )
    if group.order > 1:
        whole = sum(len(orbit) == group.order for orbit in layer.orbits)
        chance = "" if layer.inside_by_chance is None else f", {layer.inside_by_chance:.1f} by chance"
        partial = len(layer.orbits) - whole
        notes.append(f"{whole} whole and {partial} partial orbits have {layer.inside} filters{chance}")
    if layer.power < ENOUGH:
        percent = f"{100 * layer.power:.0f} %"
        notes.append(f"{len(bank.filters)} filters are few: flipped copies would be found in {percent} of such layers")
    if layer.rows:
        notes.append(f"the distribution of filters is balanced under {group_text(layer.balanced)}")
    if layer.lookalikes:
        notes.append(f"{layer.lookalikes} filters look like a turned or flipped filter (cosine 0.8)")
    return [*notes, *layer.maps]
