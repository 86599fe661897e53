"""`equivariance_table`: how far a network is from equivariance, at its output and after every layer."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import torch
from torch import Tensor, nn

from lgn.actions import Patch, act
from lgn.groups import Group, as_group, from_matrices
from lgn.measures import Map, total_error
from lgn.nn.bank import evaluating
from lgn.nn.image_action import operator_names
from lgn.nn.layers import GroupConv
from lgn.nn.sets import SetBatchNorm, advance
from lgn.text import columns
from lgn.transforms import parse_operator
from lgn.transforms.warps import rotate

OUTPUT = "output"
BATCH = 250


@dataclass(frozen=True)
class EquivarianceTable:
    """Errors `||f(T x) - T' f(x)|| / ||T' f(x)||` for every element T of a group but the identity.

    T' moves the pixels of codes, and permutes the elements of their sets by the table of the group. Codes that were
    pooled over the sets, or that have no pixels, stay as they are. Scores of classes, (N, classes), stay as they are
    too; they are compared without their mean over the classes, which changes no answer.
    """

    group: str
    elements: tuple[str, ...]  # words
    layers: tuple[str, ...]  # names of modules, and "output"
    errors: tuple[tuple[float, ...], ...]  # (layers, elements)
    inside: tuple[tuple[float, ...], ...]  # the same for the inner half of the pixels, away from the border

    @property
    def output(self) -> dict[str, float]:
        """The error of the output for every element, by its word."""
        return dict(zip(self.elements, self.errors[-1], strict=True))

    @property
    def worst(self) -> float:
        """The largest error of the output."""
        return max(self.errors[-1])

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [("layer", *self.elements)]
        for name, errors, inside in zip(self.layers, self.errors, self.inside, strict=True):
            cells = (f"{error:.1e} ({inner:.0e})" for error, inner in zip(errors, inside, strict=True))
            rows.append((name, *cells))
        title = f"relative error for the elements of {self.group}, in brackets for the inner half of the pixels"
        return "\n".join([title, *columns(rows)])


@torch.no_grad()
def equivariance_table(
    model: nn.Module,
    images: Tensor,
    *,
    group: Group | str | int | None = None,
    action: Sequence[str] | None = None,
) -> EquivarianceTable:
    """The equivariance errors of a network in evaluation mode, for every element of a group.

    images: (N, C, H, W), signals (N, C, T) or volumes (N, C, D, H, W), as the model takes them.
    group: the group that acts on the images, for any network; the table has the error of the output. By default it is
    the group of the model's group convolutions, and the table also has the error after every layer.
    action: one name from `lgn.transforms` per generator of the group, such as ["turn 90", "flip columns"],
    ["reversal"] for signals or ["turn 1", "mirror 3"] for volumes. By default r turns images, bicubically if the turn
    is no quarter turn, and s flips columns.
    """
    every_layer, tested = group is None, _own_group(model, images) if group is None else as_group(group)
    names = tuple(operator_names(tested, action))
    move: Any = _turn_and_flip
    if action is not None:
        move = partial(_move, names=names)
        if every_layer:
            _require_action(names, tested, images)
    errors: dict[str, list[tuple[float, float]]] = {}
    with evaluating(model):
        plain = _outputs(model, images, every_layer)
        sets = _sets_by_layer(model, plain, tested)
        for element in range(1, tested.order):
            moved = partial(move, group=tested, element=element)
            for name, output in _outputs(model, moved(images), every_layer).items():
                expected = _expected(plain[name], tested, element, sets[name], moved)
                pair = _error(output, expected), _error(_inner(output), _inner(expected))
                errors.setdefault(name, []).append(pair)
    whole, inside = (tuple(tuple(pair[i] for pair in row) for row in errors.values()) for i in range(2))
    return EquivarianceTable(tested.name, tested.words[1:], tuple(errors), whole, inside)


def _own_group(model: nn.Module, images: Tensor) -> Group:
    """The group of the first group convolution of a model, which must take such images."""
    layer = next((module for module in model.modules() if isinstance(module, GroupConv)), None)
    if layer is None:
        raise ValueError(f"group must be given for a model without group convolutions, got {type(model).__name__}")
    if images.ndim != layer.axes + 2:
        axes = {1: "T", 2: "H, W", 3: "D, H, W"}[layer.axes]
        raise ValueError(f"images must be (N, C, {axes}), got shape {tuple(images.shape)}")
    return layer.group


def _require_action(names: tuple[str, ...], group: Group, images: Tensor) -> None:
    """Raise if the operators on images do not multiply as the elements of the group."""
    side = min(images.shape[2:], default=1)
    side = min(side, 6) if images.ndim > 4 else side  # operators multiply alike on a small cube, which fits into memory
    matrices = _matrices(names, (side,) * (images.ndim - 2))
    found = from_matrices(matrices, names=group.generators).group
    if not found.is_isomorphic(group):
        raise ValueError(f"action must generate the group {group.name} of the network, got a group {found.name}")


@lru_cache(maxsize=8)
def _matrices(names: tuple[str, ...], size: Patch) -> Tensor:
    return torch.stack([parse_operator(name, size) for name in names])


def _move(x: Tensor, names: tuple[str, ...], group: Group, element: int) -> Tensor:
    """An element applied to pixels, by its word: the letter on the right first."""
    matrices = _matrices(names, tuple(x.shape[2:])).to(x.dtype).to(x.device)
    for place, _ in reversed(group.letters[element]):
        x = act(matrices[place], x, x.ndim - 2)
    return x


def _turn_and_flip(images: Tensor, group: Group, element: int) -> Tensor:
    """An element of a group of turns and flips; consecutive turns are one turn, so that images are resampled once."""
    degrees = 0.0
    for place, _ in reversed(group.letters[element]):
        if group.generators[place] == "r":
            degrees += 360 / group["r"].order
        else:
            images, degrees = _turn(images, degrees).flip(-1), 0.0
    return _turn(images, degrees)


def _turn(images: Tensor, degrees: float) -> Tensor:
    return rotate(images, degrees, "bicubic") if degrees % 360 else images


def _expected(codes: Tensor, group: Group, element: int, sets: int | None, move: Map) -> Tensor:
    """T' applied to the output of a layer."""
    if codes.ndim > 2 and min(codes.shape[2:]) > 1:
        codes = move(codes)
    if sets is not None and codes.ndim > 1 and codes.shape[1] == sets * group.order:
        codes = advance(codes, element, group=group)
    return codes


def _sets_by_layer(model: nn.Module, outputs: dict[str, Tensor], group: Group) -> dict[str, int | None]:
    """The number of sets of the last convolution with this group before every output; None for class scores."""
    layers = {name: m for name, m in model.named_modules() if isinstance(m, GroupConv) and m.group == group}
    sets, last = dict[str, int | None](), None
    for name in outputs:
        last = layers[name].num_sets if name in layers else last
        sets[name] = last
    every = [layer.num_sets for layer in layers.values()]
    sets[OUTPUT] = None if outputs[OUTPUT].ndim == 2 or not every else every[-1]
    return sets


def _outputs(model: nn.Module, images: Tensor, every_layer: bool) -> dict[str, Tensor]:
    """The output of a model, after those of all layers, if they are wanted, in the order in which they run."""
    batches: list[dict[str, Tensor]] = []

    def keep(name: str, _: nn.Module, __: Any, output: Any) -> None:
        if isinstance(output, Tensor) and output.is_floating_point() and output.ndim in (2, images.ndim):
            batches[-1][name] = output

    with ExitStack() as stack:
        for name, module in _layers(model) if every_layer else ():
            stack.callback(module.register_forward_hook(partial(keep, name)).remove)
        for batch in images.split(BATCH):
            batches.append({})
            result = model(batch)
            batches[-1].pop(OUTPUT, None)
            scores = result.ndim == 2 and result.shape[1] > 1
            batches[-1][OUTPUT] = result - result.mean(1, keepdim=True) if scores else result
    return {name: torch.cat([outputs[name] for outputs in batches]) for name in batches[0]}


def _layers(model: nn.Module, name: str = "") -> Iterator[tuple[str, nn.Module]]:
    """Group convolutions, normalisations of sets, and modules without submodules."""
    for part, module in model.named_children():
        whole = isinstance(module, GroupConv | SetBatchNorm) or not any(True for _ in module.children())
        path = f"{name}.{part}" if name else part
        yield from [(path, module)] if whole else _layers(module, path)


def _inner(x: Tensor) -> Tensor:
    """The middle half of the pixels along every axis."""
    if x.ndim < 3 or min(x.shape[2:]) < 4:
        return x
    for axis, size in enumerate(x.shape[2:], 2):
        x = x.narrow(axis, size // 4, size - 2 * (size // 4))
    return x


def _error(actual: Tensor, expected: Tensor) -> float:
    return float("inf") if actual.shape != expected.shape else total_error(actual, expected)
