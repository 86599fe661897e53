"""`inspect`: the symmetries of the filters of a trained network."""

from os import PathLike
from pathlib import Path

from torch import Tensor, nn
from tqdm import tqdm

from lgn.actions import size_text
from lgn.answer import Answer, DataSummary
from lgn.discovery.networks.convolutions import Convolution, convolutions_of, following, inspected
from lgn.discovery.networks.copies import ENOUGH, LEVEL
from lgn.discovery.networks.layer_inspection import LayerInspection, inspect_layer
from lgn.discovery.networks.next_layer import MOST, Continuation, continuations
from lgn.discovery.networks.weight_files import read_convolutions
from lgn.groups import Subgroup
from lgn.transforms import SQUARE

#: Filters are shown as pictures if they have one of these numbers of channels, and up to this number of filters.
PICTURED_CHANNELS, MOST_PICTURES = (1, 3), 160


def inspect(
    source: Tensor | nn.Module | str | PathLike[str], layer: str | None = None, *, seed: int = 0, progress: bool = False
) -> Answer:
    """Find the transformations under which the filters of a network are copies of each other, or balanced.

    The answer has a row per layer and transformation, and the group of the first inspected layer.

    source: filters (filters, channels, n, m); a model; or a file (.onnx, .safetensors, or weights saved by torch). No
        code in a file is run.
    layer: the convolution that is inspected; by default all convolutions with kernels of at least 3x3.
    """
    if isinstance(source, Tensor):
        convolutions = [Convolution(layer or "", source)]
    elif isinstance(source, nn.Module):
        convolutions = list(convolutions_of(source))
    else:
        convolutions = read_convolutions(Path(source))
    weights = inspected(convolutions)
    if not weights:
        reasons = "; ".join(dict.fromkeys(known.reason for known in convolutions)) or "must be those of convolutions"
        raise ValueError(f"source must have a convolution that can be inspected, got none (weights {reasons})")
    if layer is not None and layer not in weights:
        raise ValueError(f"layer must be one of {', '.join(weights)}, got {layer!r}")
    names = tqdm(weights if layer is None else [layer], disable=None if progress else True, unit="layer")
    layers = [inspect_layer(weights[name], name, seed=seed) for name in names]
    next_layers, continued = following(convolutions), {}
    for inspection in layers:
        first = weights[inspection.layer]
        name, second = next_layers.get(inspection.layer, ("", first[:0]))
        if name and len(inspection.bank.filters) > 1 and max(len(first), len(second)) <= MOST:
            tested = continuations(first, second, seed=seed)
            continued[f"{inspection.layer} to {name}"] = [symmetry for symmetry in tested if symmetry.continues]
    return _answer(convolutions, layers, continued, seed)


def _answer(
    convolutions: list[Convolution], layers: list[LayerInspection], continued: dict[str, list[Continuation]], seed: int
) -> Answer:
    """The answer about all layers; its group, sentence and pictures are those of the first layer."""
    first, reasons = layers[0], {known.name: known.reason for known in convolutions if known.reason}
    weights = inspected(convolutions)[first.layer]
    is_pictured = weights.shape[1] in PICTURED_CHANNELS and len(weights) <= MOST_PICTURES
    examples = weights.detach().cpu().float() if is_pictured else None
    return Answer(
        question="filters",
        data=DataSummary("network", len(convolutions), first.shape, examples=examples),
        rows=tuple(row for layer in layers for row in layer.rows),
        sentence=_sentence(first),
        name=first.group.name if first.group.order > 1 else "",
        group=first.group.group() if first.rows else None,
        notes=(*_notes(first), *_notes_of_others(layers[1:], continued, reasons)),
        level=LEVEL,
        seed=seed,
        settings={
            "layers": tuple(layer.layer for layer in layers),
            "filters": tuple(float(len(layer.bank.filters)) for layer in layers),
            "power": tuple(layer.power for layer in layers),
            "groups": tuple(layer.group.name for layer in layers),
            "balanced_groups": tuple(layer.balanced.name for layer in layers),
            "not_inspected": tuple(reasons),
            "steps": tuple(continued),
            "continued": tuple(f"{step}: {known.name}" for step, found in continued.items() for known in found),
        },
    )


def _text(group: Subgroup) -> str:
    """The name of a group of turns and flips with its elements, or "no turn or flip"."""
    if group.order == 1:
        return "no turn or flip"
    return f"{group.name} ({', '.join(SQUARE[element] for element in group.elements[1:])})"


def _sentence(layer: LayerInspection) -> str:
    filters = f"The filters of layer {layer.layer}" if layer.layer else "The filters"
    if layer.group.order > 1:
        inside = f"{layer.inside} of {len(layer.bank.filters)} filters are in orbits"
        return f"{filters} are copies of each other under {_text(layer.group)}: {inside}."
    if layer.power < ENOUGH:
        return f"{filters} are too few to decide whether they are copies of each other."
    return f"{filters} are not copies of each other under turns and flips."


def _notes(layer: LayerInspection) -> list[str]:
    """Notes about the first layer."""
    bank, group, notes = layer.bank, layer.group, []
    if bank.dead or bank.flat:
        notes.append(f"{len(bank.dead)} dead and {len(bank.flat)} constant filters are left out.")
    top, bottom, left, right = bank.window
    if (bottom - top + 1, right - left + 1) != layer.shape[-2:]:
        down, across = bank.off_centre
        notes.append(
            f"The centre of the filters is {down:+.2f} pixels down and {across:+.2f} pixels right of the middle of the "
            f"kernel: rows {top} to {bottom} and columns {left} to {right} are compared."
        )
    if group.order > 1:
        whole = sum(len(orbit) == group.order for orbit in layer.orbits)
        chance = "" if layer.inside_by_chance is None else f", {layer.inside_by_chance:.1f} by chance"
        partial = len(layer.orbits) - whole
        notes.append(f"{whole} whole and {partial} partial orbits have {layer.inside} filters{chance}.")
    if layer.power < ENOUGH:
        percent = f"{100 * layer.power:.0f} %"
        notes.append(f"{len(bank.filters)} filters are few: flipped copies would be found in {percent} of such layers.")
    if layer.rows:
        notes.append(f"The distribution of filters is balanced under {_text(layer.balanced)}.")
    if layer.lookalikes:
        notes.append(f"{layer.lookalikes} filters look like a turned or flipped filter (cosine 0.8).")
    for name, (cosine, p_value) in layer.maps.items():
        fitted = f"cosine {cosine:.2f} with {name} (p = {p_value:.2g})"
        notes.append(f"The linear map that is fitted to pairs of copies has {fitted}.")
    return notes


def _notes_of_others(
    layers: list[LayerInspection], continued: dict[str, list[Continuation]], reasons: dict[str, str]
) -> list[str]:
    """Notes about further layers, about symmetries that continue, and about weights that were not inspected."""
    notes = []
    for layer in layers:
        groups = f"copies under {_text(layer.group)} (power {layer.power:.1f}), balanced under {_text(layer.balanced)}"
        notes.append(f"Layer {layer.layer} ({size_text(layer.shape)}): {groups}.")
    for step, found in continued.items():
        names = ", ".join(f"{known.name} (cosine {known.cosine:.2f})" for known in found)
        notes.append(f"From layer {step}, {names or 'no transformation'} continues.")
    for reason in dict.fromkeys(reasons.values()):
        names = ", ".join(name for name, other in reasons.items() if other == reason)
        notes.append(f"Not inspected, because weights {reason}: {names}.")
    return notes
