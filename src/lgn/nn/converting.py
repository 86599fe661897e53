"""`convert`: group layers in place of the convolutions of any network."""

import copy
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.modules.conv import _ConvNd, _ConvTransposeNd

from lgn.actions import Patch, size_text, vec
from lgn.generators import Family, Generator, Share, Start
from lgn.generators.fit import filter_pairs, least_squares_generator
from lgn.groups import Group
from lgn.nn.bank import group_of_layer
from lgn.nn.layers import GroupConv, GroupConv1d, GroupConv2d, GroupConv3d
from lgn.nn.linear import GroupLinear
from lgn.nn.transposed import GroupConvTranspose, GroupConvTranspose1d, GroupConvTranspose2d, GroupConvTranspose3d
from lgn.text import columns, html_table
from lgn.warning import LgnWarning

MAX_DENSE = 256  # a dense generator on more inputs than this has over 65,000 entries
HEAD = ("layer", "converted to", "relative error of the filters")
MAX_FILTER_ERROR = 0.1  # a larger relative error of filters causes a warning

CONVOLUTIONS = (GroupConv1d, GroupConv2d, GroupConv3d)
TRANSPOSED = (GroupConvTranspose1d, GroupConvTranspose2d, GroupConvTranspose3d)
CONVERTED: dict[type[nn.Module], type[GroupConv | GroupConvTranspose]] = {
    layer.plain: layer for layer in (*CONVOLUTIONS, *TRANSPOSED)
}

Plain = _ConvNd | nn.Linear
Converted = GroupConv | GroupConvTranspose | GroupLinear


@dataclass
class Conversion:
    """The layers that `convert` or `convert_found` replaced, and the reasons why it left others alone."""

    converted: dict[str, str] = field(default_factory=dict)
    left_alone: dict[str, str] = field(default_factory=dict)
    #: The relative error of the filters, for layers that begin at the filters of the model.
    filter_error: dict[str, float] = field(default_factory=dict)

    def apply(self, model: nn.Module, replacements: Mapping[int, nn.Module]) -> nn.Module:
        """A copy of the model with layers replaced, by the `id` of the original; its attribute `conversion` is self."""
        if not replacements:
            raise ValueError(f"model must have a layer that can be converted, got none:\n{self}")
        result = copy.deepcopy(model, dict(replacements))
        result.conversion = self  # type: ignore[assignment]
        return result

    def __str__(self) -> str:
        return "\n".join(columns([HEAD, *self._rows()]))

    def _repr_html_(self) -> str:
        return html_table(HEAD, self._rows())

    def _rows(self) -> list[tuple[str, str, str]]:
        """The name of every layer, its replacement or the reason why it was left alone, and its error."""
        errors = {name: f"{error:.1e}" for name, error in self.filter_error.items()}
        rows = [(name, layer, errors.get(name, "")) for name, layer in self.converted.items()]
        return rows + [(name, f"left alone: {reason}", "") for name, reason in self.left_alone.items()]


class FilterErrorWarning(LgnWarning):
    """Layers that begin at the filters of a network do not reproduce them."""


def convert(
    model: nn.Module,
    *,
    group: Group | str | int = 4,
    generator: Family = "dense",
    share: Share = "set",
    start: Start = "orthogonal",
    from_filters: bool = False,
    layers: Callable[[str, nn.Module], bool] | None = None,
    linear: bool = False,
) -> nn.Module:
    """A copy of the model with group layers in place of its convolutions (and of `nn.Linear`, with `linear=True`).

    Convolutions are `nn.Conv1d`, `nn.Conv2d`, `nn.Conv3d` and their transposed versions. The attribute `conversion` of
    the copy lists the converted layers, and the reason why others were left alone: grouped and 1x1 convolutions,
    subclasses of torch's layers, and layers with a number of outputs that the order of the group does not divide.
    Layers on `meta` stay there.

    group, generator, share, start: as in `GroupConv2d`. With `share="network"` all layers with the same kernel size
    share a generator. A dense generator on more than 256 inputs must be requested as the class `lgn.generators.Dense`.
    from_filters: every set begins at filters of the model. The first filter of a set is its basis, and the generator
    takes every filter to the next, exactly for `share="channel"` if all but the last filter of a set are independent,
    by least squares otherwise. `conversion.filter_error` has the relative error of every layer; a large one causes a
    warning.
    layers: `layers(name, module)` selects the layers to convert.
    """
    group = group_of_layer(group)
    if from_filters and share == "network":
        raise ValueError("from_filters must be False for share='network', got True: layers cannot share their filters")
    conversion, shared = Conversion(), dict[Patch, Generator]()
    replacements: dict[int, nn.Module] = {}
    on_meta: list[Converted] = []
    for name, module in model.named_modules():
        if not isinstance(module, Plain):
            continue
        if reason := _reason_to_skip(name, module, group.order, layers, linear):
            conversion.left_alone[name] = reason
            continue
        if module.weight.is_meta and from_filters:
            raise ValueError(f"from_filters must be False for layer {name!r} on meta, which has no filters, got True")
        patch = _patch(module)
        _require_small_dense(name, patch, generator)
        sets = _sets(module, group.order)
        first: Start = _fitted(sets, group, share) if from_filters else start
        new = _group_layer(module, group, shared.get(patch, generator), share, first)
        if share == "network":
            shared[patch] = new.orbits.generator
        if from_filters:
            conversion.filter_error[name] = _begin_at_filters(new, module, sets)
        elif module.weight.is_meta:
            on_meta.append(new)
        else:
            with torch.no_grad():  # signals keep the size that the original initialisation gave them
                new.orbits.basis.mul_(module.weight.norm() / new.filters().norm())
        replacements[id(module)] = new.train(module.training)
        conversion.converted[name] = f"{new.num_sets} sets of {group.order}, {size_text(patch)}"
    for layer in on_meta:
        _move_to_meta(layer)
    _warn_of_filter_error(conversion)
    return conversion.apply(model, replacements)


def _reason_to_skip(
    name: str, module: Plain, order: int, layers: Callable[[str, nn.Module], bool] | None, linear: bool
) -> str | None:
    if type(module) not in (*CONVERTED, nn.Linear):
        return f"{type(module).__name__} is a subclass, which may compute something else"
    if isinstance(module, nn.Linear) and not linear:
        return "linear layers are converted only with linear=True"
    if isinstance(module, _ConvNd) and module.groups > 1:
        return f"it is a grouped convolution ({module.groups} groups)"
    if isinstance(module, _ConvNd) and max(module.kernel_size) == 1:
        return f"a {size_text(module.kernel_size)} kernel has no pixels to act on"
    outputs = module.out_channels if isinstance(module, _ConvNd) else module.out_features
    if outputs % order:
        return f"the order {order} does not divide its {outputs} outputs"
    if layers is not None and not layers(name, module):
        return "the argument layers excludes it"
    return None


def _patch(module: Plain) -> Patch:
    return module.kernel_size if isinstance(module, _ConvNd) else (module.in_features, 1)


def _filters(module: Plain) -> Tensor:
    """The weight, outputs first; transposed convolutions have the inputs first."""
    weight = module.weight.detach()
    return weight.transpose(0, 1) if isinstance(module, _ConvTransposeNd) else weight


def _sets(module: Plain, order: int) -> Tensor:
    """The filters in sets.  (sets, order, channels, n, m)"""
    filters, channels = _filters(module), module.in_channels if isinstance(module, _ConvNd) else 1
    return filters.reshape(len(filters) // order, order, channels, *_patch(module))


def _fitted(sets: Tensor, group: Group, share: Share) -> Start:
    """The generators that take the filters of a set to each other, by least squares."""
    before, after = filter_pairs(vec(sets, sets.ndim - 3), group, share)
    return list(least_squares_generator(before.expand_as(after), after))


def _require_small_dense(name: str, patch: Patch, generator: Family) -> None:
    if generator == "dense" and math.prod(patch) > MAX_DENSE:
        raise ValueError(
            f"generator must be a small family, such as low-rank or cyclic, for layer {name} with {math.prod(patch)} "
            f"inputs, got 'dense'; lgn.generators.Dense overrides the limit of {MAX_DENSE}"
        )


def _group_layer(module: Plain, group: Group, family: Family, share: Share, start: Start) -> Converted:
    options: dict[str, Any] = {
        "group": group,
        "generator": family,
        "share": share,
        "start": start,
        "bias": module.bias is not None,
        "device": torch.device("cpu") if module.weight.is_meta else module.weight.device,
        "dtype": module.weight.dtype,
    }
    if isinstance(module, nn.Linear):
        return GroupLinear(module.in_features, module.out_features // group.order, **options)
    if isinstance(module, _ConvTransposeNd):
        options["output_padding"] = module.output_padding
    else:
        options["padding_mode"] = module.padding_mode
    return CONVERTED[type(module)](
        module.in_channels,
        module.out_channels // group.order,
        module.kernel_size,
        stride=module.stride,
        padding=module.padding,  # type: ignore[arg-type]  # a transposed convolution has numbers
        dilation=module.dilation,
        **options,
    )


def _move_to_meta(layer: Converted) -> None:
    """Move a layer to `meta`. It was made on the CPU, because a family computes with its start."""
    constants = {name for name, _ in layer.named_buffers()} - layer.state_dict().keys()
    if constants:  # `to_empty` and `load_state_dict` would not restore them
        family = type(layer.orbits.generator).__name__
        raise ValueError(f"generator must have all its values in the state_dict for layers on meta, got {family}")
    layer.to("meta")


@torch.no_grad()
def _begin_at_filters(new: Converted, module: Plain, sets: Tensor) -> float:
    """Copy the basis filters and the bias.  -> the relative error of the filters"""
    new.orbits.basis.copy_(sets[:, 0])
    if module.bias is not None and new.bias is not None:
        new.bias.copy_(module.bias)
    return float((new.filters() - _filters(module)).norm() / module.weight.norm())


def _warn_of_filter_error(conversion: Conversion) -> None:
    errors = conversion.filter_error
    if errors and errors[worst := max(errors, key=errors.__getitem__)] > MAX_FILTER_ERROR:
        warnings.warn(
            f"from_filters changes the filters of layer {worst} by {100 * errors[worst]:.0f} %: share='channel' is "
            "exact if the filters of a set are independent",
            FilterErrorWarning,
            stacklevel=3,
        )
