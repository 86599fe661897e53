"""`inspect`: the symmetries in the filters of a trained network."""

from os import PathLike
from pathlib import Path

from torch import Tensor, nn
from tqdm import tqdm

from lgn.actions import size_text
from lgn.answer import Answer, DataSummary
from lgn.discovery.networks.convolutions import Convolution, convolutions_of, following, inspected
from lgn.discovery.networks.copies import ENOUGH, LEVEL
from lgn.discovery.networks.findings import LayerFindings, inspect_layer
from lgn.discovery.networks.next_layer import MOST, Continuation, continuations
from lgn.discovery.networks.weight_files import read_convolutions
from lgn.groups import Subgroup
from lgn.transforms import SQUARE

#: Filters are shown as pictures if they have one of these numbers of channels, and if they are not too many.
PICTURED_CHANNELS, MOST_PICTURES = (1, 3), 160


def inspect(
    source: Tensor | nn.Module | str | PathLike[str], layer: str | None = None, *, seed: int = 0, progress: bool = False
) -> Answer:
    """Find the transformations under which the filters of a network are copies of each other, or balanced.

    The answer has a row per layer and transformation, and the group of the first inspected layer.

    source: filters (filters, channels, n, m); a model; or a file (.onnx, .safetensors, or weights saved by torch), from
        which no code is run. All convolutions with kernels of at least 3x3 are inspected.
    layer: inspect only this convolution.
    """
    if isinstance(source, Tensor):
        found = [Convolution(layer or "", source)]
    else:
        found = list(convolutions_of(source)) if isinstance(source, nn.Module) else read_convolutions(Path(source))
    weights = inspected(found)
    if not weights:
        reasons = "; ".join(dict.fromkeys(known.reason for known in found)) or "must be those of convolutions"
        raise ValueError(f"source must have a convolution that can be inspected, got none (weights {reasons})")
    if layer is not None and layer not in weights:
        raise ValueError(f"layer must be one of {', '.join(weights)}, got {layer!r}")
    chosen = list(weights) if layer is None else [layer]
    layers = [
        inspect_layer(weights[name], name, seed=seed)
        for name in tqdm(chosen, disable=None if progress else True, unit="layer")
    ]
    next_layers, continued = following(found), {}
    for name, findings in zip(chosen, layers, strict=True):
        after, kernels = next_layers.get(name, ("", weights[name][:0]))
        if after and len(findings.bank.filters) > 1 and max(len(weights[name]), len(kernels)) <= MOST:
            tested = continuations(weights[name], kernels, seed=seed)
            continued[f"{name} to {after}"] = [one for one in tested if one.continues]
    return _answer(found, layers, continued, seed)


def _answer(
    found: list[Convolution], layers: list[LayerFindings], continued: dict[str, list[Continuation]], seed: int
) -> Answer:
    """The answer about all layers; its group, sentence and pictures are those of the first layer."""
    first, *others = layers
    notes = _notes(first)
    for other in others:
        groups = f"copies under {_text(other.group)} (power {other.power:.1f}), balanced under {_text(other.balanced)}"
        notes.append(f"{other.layer} ({size_text(other.shape)}): {groups}")
    for step, known in continued.items():
        names = ", ".join(f"{one.name} (cosine {one.cosine:.2f})" for one in known)
        notes.append(f"continues from {step}: {names or 'no transformation'}")
    reasons = {known.name: known.reason for known in found if known.reason}
    for reason in dict.fromkeys(reasons.values()):
        names = ", ".join(name for name, why in reasons.items() if why == reason)
        notes.append(f"not inspected, weights {reason}: {names}")
    weights = inspected(found)[first.layer]
    is_pictured = weights.shape[1] in PICTURED_CHANNELS and len(weights) <= MOST_PICTURES
    examples = weights.detach().cpu().float() if is_pictured else None
    return Answer(
        question="filters",
        data=DataSummary("network", len(found), first.shape, examples=examples),
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
            "not_inspected": tuple(reasons),
            "steps": tuple(continued),
            "continued": tuple(f"{step}: {one.name}" for step, known in continued.items() for one in known),
        },
    )


def _text(group: Subgroup) -> str:
    """The name of a group of turns and flips with its elements, or "no turn or flip"."""
    if group.order == 1:
        return "no turn or flip"
    return f"{group.name} ({', '.join(SQUARE[element] for element in group.elements[1:])})"


def _sentence(layer: LayerFindings) -> str:
    count, filters = len(layer.bank.filters), f"The filters of {layer.layer}" if layer.layer else "The filters"
    if layer.group.order > 1:
        inside = f"{layer.inside} of {count} filters are in orbits"
        return f"{filters} are copies of each other under {_text(layer.group)}: {inside}."
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
        notes.append(f"the distribution of filters is balanced under {_text(layer.balanced)}")
    if layer.lookalikes:
        notes.append(f"{layer.lookalikes} filters look like a turned or flipped filter (cosine 0.8)")
    for name, (cosine, p_value) in layer.maps.items():
        notes.append(
            f"the linear map fitted to pairs of copies has cosine {cosine:.2f} with {name} (p = {p_value:.2g})"
        )
    return notes
