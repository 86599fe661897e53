"""`convert(model, from_inspection=...)`: convolutions with the orbits that an inspection found in them."""

import copy
from collections.abc import Sequence
from typing import Protocol

import torch
from torch import nn

from lgn.nn.conversion import Conversion
from lgn.nn.orbit_conv import CopiedFilters, OrbitConv2d


class FoundOrbit(Protocol):
    """What is needed of an orbit: its filters, and what each is of the base."""

    @property
    def filters(self) -> tuple[int, ...]: ...
    @property
    def elements(self) -> tuple[str, ...]: ...


class InspectedLayer(Protocol):
    """What is needed of an inspected layer; `lgn.discovery.networks.BankInspection` has it."""

    @property
    def name(self) -> str: ...
    @property
    def window(self) -> tuple[int, int, int, int]: ...
    @property
    def orbit_details(self) -> Sequence[FoundOrbit]: ...


class Inspected(Protocol):
    """What is needed of an inspection; `lgn.inspect(model)` gives it."""

    @property
    def layers(self) -> Sequence[InspectedLayer]: ...


def convert_inspected(model: nn.Module, inspection: Inspected) -> nn.Module:
    """A copy of the model whose layers with orbits have them built in."""
    if not hasattr(inspection, "layers"):  # that of a bank, which has no name in the model
        raise ValueError(f"from_inspection must be what lgn.inspect(model) returns, got {type(inspection).__name__}")
    conversion, replacements = Conversion(), dict[int, nn.Module]()
    modules = dict(model.named_modules())
    for found in inspection.layers:
        module = modules.get(found.name)
        if type(module) is not nn.Conv2d:
            conversion.left_alone[found.name] = "the model has no convolution of this name"
        elif not found.orbit_details:
            conversion.left_alone[found.name] = "no orbit was found in it"
        else:
            new, words, error = orbit_layer(module, found)
            replacements[id(module)] = new
            conversion.converted[found.name], conversion.filter_error[found.name] = words, error
    if not replacements:
        raise ValueError(f"from_inspection must have a layer of the model with orbits, got none:\n{conversion}")
    result = copy.deepcopy(model, dict(replacements))
    result.conversion = conversion  # type: ignore[assignment]
    return result


def orbit_layer(plain: nn.Conv2d, found: InspectedLayer) -> tuple[OrbitConv2d, str, float]:
    """The layer with the orbits found, how much it saves in words, and the relative error of its filters."""
    orbits = [CopiedFilters(each.filters, each.elements) for each in found.orbit_details]
    new = OrbitConv2d(plain, orbits, found.window)
    stored = sum(each.numel() for each in (new.basis, new.gain, new.free))
    with torch.no_grad():
        error = float((new.filters() - plain.weight).norm() / plain.weight.norm())
    words = (
        f"{len(new.gain)} of {plain.out_channels} filters in {len(orbits)} orbits, "
        f"{stored:,} numbers instead of {plain.weight.numel():,}"
    )
    return new.train(plain.training), words, error
