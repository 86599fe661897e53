"""The equivariance errors of a network: `equivariance_table` by layer, `invariance_errors` of its outputs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import torch
from torch import Tensor, nn

from lgn.actions import Patch, act
from lgn.groups import Group, as_group, from_matrices
from lgn.measures import invariance_error, total_error
from lgn.nn.bank import evaluating
from lgn.nn.image_action import operator_names
from lgn.nn.layers import GroupConv
from lgn.nn.sets import SetBatchNorm, advance
from lgn.text import columns
from lgn.transforms import parse_operator
from lgn.transforms.warps import rotate

OUTPUT = "output"
BATCH = 250
Move = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class EquivarianceTable:
    """Errors `||f(T x) - T' f(x)|| / ||T' f(x)||` for every element T but the identity, after every layer.

    T' moves the pixels of the codes, and permutes the elements of the sets by the table of the group. Codes that were
    pooled over the sets, or that have no pixels, stay as they are.
    """

    group: str
    elements: tuple[str, ...]  # words
    layers: tuple[str, ...]  # names of modules, and "output"
    errors: tuple[tuple[float, ...], ...]  # (layers, elements)
    inside: tuple[tuple[float, ...], ...]  # the same for the inner half of the pixels, away from the border

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


def equivariance_table(model: nn.Module, images: Tensor, action: Sequence[str] | None = None) -> EquivarianceTable:
    """The equivariance errors of a network with group convolutions, for every element of its group, after every layer.

    images: (N, C, H, W), signals (N, C, T) or volumes (N, C, D, H, W).
    action: one name from `lgn.transforms` per generator of the network's group, such as ["turn 90", "flip columns"],
    ["reversal"] for signals or ["turn 1", "mirror 3"] for volumes. By default r turns images and s flips columns.

    The model should be in evaluation mode; it is not changed.
    """
    layers = [module for module in model.modules() if isinstance(module, GroupConv)]
    if not layers:
        raise ValueError(f"model must have a group convolution, got {type(model).__name__} with none")
    group = layers[0].group
    if images.ndim != layers[0].axes + 2:
        axes = {1: "T", 2: "H, W", 3: "D, H, W"}[layers[0].axes]
        raise ValueError(f"images must be (N, C, {axes}), got shape {tuple(images.shape)}")
    names = tuple(operator_names(group, action))
    _require_action(names, group, images)
    plain = _outputs(model, images)
    sets = _sets_by_layer(model, plain)
    errors: dict[str, list[tuple[float, float]]] = {name: [] for name in plain}
    for element in range(1, group.order):
        move = partial(_move, names=names, group=group, element=element)
        for name, output in _outputs(model, move(images)).items():
            expected = _expected(plain[name], group, element, sets[name], move)
            errors[name].append((_error(output, expected), _error(_inner(output), _inner(expected))))
    whole, inside = (tuple(tuple(pair[i] for pair in row) for row in errors.values()) for i in range(2))
    return EquivarianceTable(group.name, group.words[1:], tuple(errors), whole, inside)


@torch.no_grad()
def invariance_errors(
    model: nn.Module, images: Tensor, *, group: Group | str | int, action: Sequence[str] | None = None
) -> dict[str, float]:
    """`||f(T x) - f(x)|| / ||f(x)||` for every element T of a group but the identity, by its word.

    f is the output of the model in evaluation mode, less its mean over the classes, which changes no answer. By default
    r turns images, bicubically if the turn is no quarter turn, and s flips columns; `action` is as in
    `equivariance_table`.

    images: (N, C, H, W), as the model takes them.
    """
    group = as_group(group)
    move = _turn_and_flip if action is None else partial(_move, names=tuple(operator_names(group, action)))

    def scores(x: Tensor) -> Tensor:
        outputs = torch.cat([model(batch) for batch in x.split(BATCH)])
        return outputs - outputs.mean(1, keepdim=True)

    with evaluating(model):
        return {
            group.words[element]: invariance_error(scores, images, partial(move, group=group, element=element))
            for element in range(1, group.order)
        }


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


def _expected(codes: Tensor, group: Group, element: int, sets: int | None, move: Move) -> Tensor:
    """T' applied to the output of a layer."""
    if codes.ndim > 2 and min(codes.shape[2:]) > 1:
        codes = move(codes)
    if sets is not None and codes.ndim > 1 and codes.shape[1] == sets * group.order:
        codes = advance(codes, element, group=group)
    return codes


def _sets_by_layer(model: nn.Module, outputs: dict[str, Tensor]) -> dict[str, int | None]:
    """The number of sets of the last group convolution before every output."""
    modules, sets, last = dict(model.named_modules()), dict[str, int | None](), None
    for name in outputs:
        module = modules.get(name)
        last = module.num_sets if isinstance(module, GroupConv) else last
        sets[name] = last
    return sets


def _outputs(model: nn.Module, images: Tensor) -> dict[str, Tensor]:
    """The outputs of all layers, in the order in which they run."""
    outputs: dict[str, Tensor] = {}

    def keep(name: str, _: nn.Module, __: Any, output: Any) -> None:
        if isinstance(output, Tensor) and output.is_floating_point() and output.ndim in (2, images.ndim):
            outputs[name] = output

    with ExitStack() as stack, torch.no_grad():
        for name, module in _layers(model):
            stack.callback(module.register_forward_hook(partial(keep, name)).remove)
        result = model(images)
    outputs.pop(OUTPUT, None)
    return {**outputs, OUTPUT: result}


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
