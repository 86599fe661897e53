"""`convert`: group layers in place of the convolutions of any network."""

import copy
import math
from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor, nn
from torch.nn.modules.conv import _ConvNd, _ConvTransposeNd

from lgn.actions import Patch, size_text
from lgn.generators import Dense, Family, Generator, Share, Start
from lgn.generators.fit import consecutive_pairs, element_pairs, least_squares_generator
from lgn.groups import Group
from lgn.nn.bank import layer_group
from lgn.nn.conversion import Conversion
from lgn.nn.from_inspection import Inspected, convert_inspected
from lgn.nn.layers import GroupConv, GroupConv1d, GroupConv2d, GroupConv3d
from lgn.nn.linear import GroupLinear
from lgn.nn.transposed import GroupConvTranspose, GroupConvTranspose1d, GroupConvTranspose2d, GroupConvTranspose3d

MAX_DENSE = 256  # a dense generator on more numbers than this has over 65,000 entries: only on request

CONVERTED: dict[type[nn.Module], type[GroupConv | GroupConvTranspose]] = {
    each.plain: each
    for each in (
        GroupConv1d,
        GroupConv2d,
        GroupConv3d,
        GroupConvTranspose1d,
        GroupConvTranspose2d,
        GroupConvTranspose3d,
    )
}

Converted = GroupConv | GroupConvTranspose | GroupLinear


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
    force: bool = False,
    from_inspection: Inspected | None = None,
) -> nn.Module:
    """A copy of the model with its convolutions (and, with `linear`, `nn.Linear`) replaced by group layers.

    Convolutions are `nn.Conv1d`, `nn.Conv2d`, `nn.Conv3d` and the transposed ones.

    Their filters are orbits of a finite `group`: one of `lgn.groups`, its name, such as "D4", or an int, the
    cyclic group of that order.

    The copy's attribute `conversion` says which layers were converted and why others were left alone: grouped and 1x1
    convolutions, classes derived from torch's, and layers whose outputs the order does not divide. `layers(name,
    module)` chooses among the rest. A layer on `meta` gets one there.

    With `from_filters` each set starts at the original's filters: its first is the basis, and the generator takes each
    to the next. That is exact for `share="channel"` where a set's filters but the last are independent, least squares
    otherwise; `conversion.filter_error` has the error of each layer. A dense generator on more than 256 numbers is
    refused unless `force`. With `share="network"` all layers of one kernel size have one generator.

    With `from_inspection`, what `lgn.inspect(model)` returned, the layers with twins get the orbits that were found,
    under known turns and flips (`OrbitConv2d`), and their other filters stay free; the other arguments do not matter.
    """
    if from_inspection is not None:
        return convert_inspected(model, from_inspection)
    chosen = layer_group(group)
    order = chosen.order
    if from_filters and share == "network":
        raise ValueError("from_filters must be False for share='network', got True: layers cannot agree")
    conversion, shared = Conversion(), dict[Patch, Generator]()
    replacements: dict[int, nn.Module] = {}
    without_values: list[Converted] = []
    for name, module in model.named_modules():
        if not isinstance(module, _ConvNd | nn.Linear):
            continue
        if reason := _reason_to_leave(name, module, order, layers, linear):
            conversion.left_alone[name] = reason
            continue
        if module.weight.is_meta and from_filters:
            raise ValueError(f"from_filters must be False for layer {name!r} on meta, which has no filters, got True")
        patch, channels = _patch_and_channels(module)
        _refuse_large_dense(name, patch, generator, force)
        num_sets = _outputs(module) // order
        filters = _filters(module).reshape(num_sets, order, channels, *patch)
        first: Start = start
        if from_filters:
            first = _fitted(filters, chosen, share)
        family = shared.get(patch, generator)
        new = _group_layer(module, num_sets, chosen, family, share, first)
        if share == "network":
            shared[patch] = new.bank.generator
        if from_filters:
            conversion.filter_error[name] = _start_from_filters(new, module, filters)
        elif module.weight.is_meta:
            without_values.append(new)
        else:
            with torch.no_grad():  # signals keep the size that the original's initialisation gave them
                new.bank.basis.mul_(module.weight.norm() / new.filters().norm())
        replacements[id(module)] = new.train(module.training)
        conversion.converted[name] = f"{num_sets} sets of {order}, {size_text(patch)}"
    for layer in without_values:
        _forget_values(layer)
    if not replacements:
        raise ValueError(f"model must have a layer that can be converted, got none:\n{conversion}")
    result = copy.deepcopy(model, dict(replacements))
    result.conversion = conversion  # type: ignore[assignment]
    return result


def _fitted(filters: Tensor, group: Group, share: Share) -> Start:
    """The generators that take the filters of a set to each other, by least squares."""
    if len(group.generators) == 1:
        return least_squares_generator(*consecutive_pairs(filters, share))
    moves = [group.table[a].to(filters.device) for a in group.generator_elements]
    return [least_squares_generator(*element_pairs(filters, moved, share)) for moved in moves]


def _reason_to_leave(
    name: str,
    module: _ConvNd | nn.Linear,
    order: int,
    layers: Callable[[str, nn.Module], bool] | None,
    linear: bool,
) -> str | None:
    if type(module) not in (*CONVERTED, nn.Linear):
        return f"{type(module).__name__} may do more than the layer it is derived from"
    if isinstance(module, nn.Linear) and not linear:
        return "linear layers are converted only with linear=True"
    if isinstance(module, _ConvNd) and module.groups > 1:
        return f"it is a grouped convolution ({module.groups} groups)"
    if isinstance(module, _ConvNd) and max(module.kernel_size) == 1:
        return f"a {size_text(module.kernel_size)} kernel has no space to act on"
    if _outputs(module) % order:
        return f"its {_outputs(module)} outputs are not divisible by the order {order}"
    if layers is not None and not layers(name, module):
        return "it was not chosen"
    return None


def _outputs(module: _ConvNd | nn.Linear) -> int:
    return module.out_channels if isinstance(module, _ConvNd) else module.out_features


def _filters(module: _ConvNd | nn.Linear) -> Tensor:
    """The weight with the outputs first, as a transposed convolution does not have it."""
    weight = module.weight.detach()
    return weight.transpose(0, 1) if isinstance(module, _ConvTransposeNd) else weight


def _patch_and_channels(module: _ConvNd | nn.Linear) -> tuple[Patch, int]:
    if isinstance(module, _ConvNd):
        return module.kernel_size, module.in_channels
    return (module.in_features, 1), 1


def _refuse_large_dense(name: str, patch: Patch, generator: Family, force: bool) -> None:
    family = generator.func if isinstance(generator, partial) else generator
    dense = family in ("dense", Dense) or isinstance(family, Dense)
    if dense and math.prod(patch) > MAX_DENSE and not force:
        raise ValueError(
            f"generator must have fewer numbers than dense for layer {name}, which has {math.prod(patch)} inputs "
            f"(at most {MAX_DENSE}), or force=True; low-rank and cyclic do"
        )


def _group_layer(
    module: _ConvNd | nn.Linear, num_sets: int, group: Group, family: Family, share: Share, start: Start
) -> Converted:
    device, dtype = torch.device("cpu") if module.weight.is_meta else module.weight.device, module.weight.dtype
    has_bias = module.bias is not None
    if isinstance(module, nn.Linear):
        return GroupLinear(
            module.in_features,
            num_sets,
            has_bias,
            group=group,
            generator=family,
            share=share,
            start=start,
            device=device,
            dtype=dtype,
        )
    transposed = isinstance(module, _ConvTransposeNd)
    further = {"output_padding": module.output_padding} if transposed else {"padding_mode": module.padding_mode}
    return CONVERTED[type(module)](
        module.in_channels,
        num_sets,
        kernel_size=module.kernel_size,
        stride=module.stride,
        padding=module.padding,  # type: ignore[arg-type]  # a transposed convolution has numbers
        dilation=module.dilation,
        bias=has_bias,
        **further,
        group=group,
        generator=family,
        share=share,
        start=start,
        device=device,
        dtype=dtype,
    )


def _forget_values(layer: Converted) -> None:
    """Move a layer to `meta`: it is made on a CPU, since a family looks at its start."""
    constants = {name for name, _ in layer.named_buffers()} - layer.state_dict().keys()
    if constants:  # `to_empty` and `load_state_dict` would not bring them back
        family = type(layer.bank.generator).__name__
        raise ValueError(f"generator must be all in its state_dict for a network on meta, got {family}, which is not")
    layer.to("meta")


@torch.no_grad()
def _start_from_filters(new: Converted, module: _ConvNd | nn.Linear, filters: Tensor) -> float:
    new.bank.basis.copy_(filters[:, 0])
    if module.bias is not None and new.bias is not None:
        new.bias.copy_(module.bias)
    return float((new.filters() - _filters(module)).norm() / module.weight.norm())
