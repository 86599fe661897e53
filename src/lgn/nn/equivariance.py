"""`equivariance_table`: is it really equivariant? By element of the group, by layer, by padding."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from lgn.actions import Patch, act
from lgn.groups import Group, as_group, closure
from lgn.nn.group_stack import SetBatchNorm, advance
from lgn.nn.layers import GroupConv
from lgn.transforms import parse_operator

OUTPUT = "output"
AS_IT_IS = "as it is"


@dataclass(frozen=True)
class EquivarianceTable:
    """Errors `||f(T x) - T' f(x)|| / ||T' f(x)||` for every element T, after every layer, with every padding.

    T' is what T should do to the codes: it moves the pixels, and the elements within sets by the group's table; what is
    pooled over sets, or has no pixels left, is to stay as it is.
    """

    group: str
    elements: tuple[str, ...]  # words, the identity left out
    layers: tuple[str, ...]  # names of modules, and "output"
    paddings: tuple[str, ...]
    #: (paddings, layers, elements), and the same on the inner half of the pixels, which borders hardly reach.
    errors: tuple[tuple[tuple[float, ...], ...], ...]
    inside: tuple[tuple[tuple[float, ...], ...], ...]

    @property
    def worst(self) -> float:
        """The largest error of the output as it is, over the elements."""
        return max(self.errors[0][-1])

    def __str__(self) -> str:
        lines = [f"relative error for the elements of {self.group}; in brackets on the inner half of the pixels"]
        wide = max(len(name) for name in (*self.layers, "layer"))
        for padding, whole, inner in zip(self.paddings, self.errors, self.inside, strict=True):
            lines.append(f"padding {padding}" if padding != AS_IT_IS else "")
            lines.append("  ".join([f"{'layer':<{wide}}", *(f"{word:>17}" for word in self.elements)]))
            for name, row, within in zip(self.layers, whole, inner, strict=True):
                cells = [f"{a:8.1e} ({b:.0e})" for a, b in zip(row, within, strict=True)]
                lines.append("  ".join([f"{name:<{wide}}", *(f"{cell:>17}" for cell in cells)]))
        return "\n".join(line for line in lines if line)

    def plot(self, path: str | Path) -> Path:
        """The errors as a picture, one panel for each padding: layers down, elements across, powers of ten."""
        from matplotlib.figure import Figure

        count = len(self.paddings)
        size = (2 + 0.6 * len(self.elements) * count, 1.5 + 0.35 * len(self.layers))
        figure = Figure(figsize=size, layout="constrained")
        panels = figure.subplots(1, count, squeeze=False, sharey=True)[0]
        for axes, padding, whole in zip(panels, self.paddings, self.errors, strict=True):
            logarithms = torch.tensor(whole).clamp_min(1e-17).log10().numpy()
            picture = axes.imshow(logarithms, vmin=-16, vmax=0, cmap="viridis", aspect="auto")
            axes.set_xticks(range(len(self.elements)), self.elements, rotation=90)
            axes.set_yticks(range(len(self.layers)), self.layers)
            axes.set_title(f"padding {padding}" if count > 1 or padding != AS_IT_IS else self.group)
        figure.colorbar(picture, ax=list(panels), label="log10 of the relative error")
        figure.savefig(path, dpi=150)
        return Path(path)


def equivariance_table(
    model: nn.Module,
    symmetry: Group | str | Sequence[str] | Mapping[str, str],
    images: Tensor,
    *,
    padding_modes: Sequence[str] = (),
) -> EquivarianceTable:
    """How far a network is from equivariant, for every element of a group, after every layer.

    symmetry: operators on images, such as ["rotation 90", "reflection columns"], one for each generator of the group
    of the network, in its order or by its name; or "C4", "D4" and the like, turns and the reflection of
    columns. padding_modes: measured with these too, besides the network's own: "circular", "reflect", "replicate".

    images: (N, C, H, W), or signals (N, C, T) with operators such as ["reversal"], or volumes (N, C, D, H, W) with such
    as ["turn 1", "mirror 3"]; errors are over all of them. The network is left as it is, and is best in evaluation
    mode.
    """
    layers = {name: module for name, module in model.named_modules() if isinstance(module, GroupConv)}
    if not layers:
        raise ValueError(f"model must have a group convolution, got {type(model).__name__} with none")
    first = next(iter(layers.values()))
    if images.ndim != first.axes + 2:
        axes = {1: "T", 2: "H, W", 3: "D, H, W"}[first.axes]
        raise ValueError(f"images must be (N, C, {axes}), got shape {tuple(images.shape)}")
    group = first.group
    words = _operators(symmetry, group)
    _require_action(words, group, images)
    paddings = (AS_IT_IS, *padding_modes)
    errors, inside = [], []
    for padding in paddings:
        with _padded(list(layers.values()), padding):
            pairs = _errors(model, group, words, images)
        errors.append(tuple(tuple(whole for whole, _ in row) for row in pairs.values()))
        inside.append(tuple(tuple(inner for _, inner in row) for row in pairs.values()))
    return EquivarianceTable(group.name, group.words[1:], tuple(pairs), paddings, tuple(errors), tuple(inside))


def _operators(symmetry: Group | str | Sequence[str] | Mapping[str, str], group: Group) -> list[str]:
    """One operator on images for each generator of the group."""
    if isinstance(symmetry, Group | str):
        wanted = as_group(symmetry)
        turns = {"cyclic": ["r"], "dihedral": ["r", "s"], "reflected": ["s"]}
        names = list(wanted.generators)
        if names not in turns.values():
            raise ValueError(f"symmetry must be operators for {wanted.name}, of which only turns are known by name")
        known = {"s": "reflection columns"}
        if "r" in names:
            degrees = 360 // wanted["r"].order
            known["r"] = f"rotation {degrees}"
        symmetry = [known[name] for name in names]
    if isinstance(symmetry, Mapping):
        if sorted(symmetry) != sorted(group.generators):
            listed = ", ".join(group.generators)
            raise ValueError(f"symmetry must have an operator for each of {listed}, got {', '.join(symmetry)}")
        symmetry = [symmetry[name] for name in group.generators]
    if len(symmetry) != len(group.generators):
        listed = f"{', '.join(group.generators)} of {group.name}"
        raise ValueError(f"symmetry must have an operator for each of {listed}, got {len(symmetry)}")
    return list(symmetry)


def _require_action(words: list[str], group: Group, images: Tensor) -> None:
    """Refuse operators on images that do not multiply as the group's elements do."""
    side = min(images.shape[2:], default=1)
    side = min(side, 6) if images.ndim > 4 else side  # operators multiply alike on a small cube, and fit into memory
    matrices = _matrices(tuple(words), (side,) * (images.ndim - 2))
    found = closure(matrices, names=group.generators).group
    if not found.is_isomorphic(group):
        raise ValueError(
            f"symmetry must be the group {group.name} of the network, got operators that make {found.name}"
        )


@lru_cache(maxsize=8)
def _matrices(words: tuple[str, ...], size: Patch) -> Tensor:
    return torch.stack([parse_operator(word, size) for word in words])


def _errors(model: nn.Module, group: Group, words: list[str], images: Tensor) -> dict[str, list[tuple[float, float]]]:
    """By layer and element, of all pixels and of the inner ones."""
    plain = dict(_outputs(model, images))
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in plain}
    sets = _sets_by_layer(model, plain)
    for element in range(1, group.order):

        def move(x: Tensor, element: int = element) -> Tensor:
            """T on pixels, by the word of the element: the right letter first."""
            matrices = _matrices(tuple(words), tuple(x.shape[2:]))
            for place, _ in reversed(group.letters[element]):
                x = act(matrices[place].to(x), x, x.ndim - 2)
            return x

        for name, output in _outputs(model, move(images)).items():
            expected = _expected(plain[name], group, element, sets[name], move)
            found[name].append((_relative(output, expected), _relative(_inner(output), _inner(expected))))
    return found


def _expected(codes: Tensor, group: Group, element: int, sets: int | None, move: Callable[[Tensor], Tensor]) -> Tensor:
    if codes.ndim > 2 and min(codes.shape[2:]) > 1:
        codes = move(codes)
    if sets is not None and codes.ndim > 1 and codes.shape[1] == sets * group.order:
        codes = advance(codes, element, group=group)
    return codes


def _sets_by_layer(model: nn.Module, outputs: Mapping[str, Tensor]) -> dict[str, int | None]:
    """How many sets the last group layer before each output had."""
    modules, sets, last = dict(model.named_modules()), dict[str, int | None](), None
    for name in outputs:
        module = modules.get(name)
        last = module.num_sets if isinstance(module, GroupConv) else last
        sets[name] = last
    return sets


def _outputs(model: nn.Module, images: Tensor) -> dict[str, Tensor]:
    """What comes out of every layer, in the order in which they are run."""
    seen: dict[str, Tensor] = {}

    def keep(name: str) -> Callable[[nn.Module, Any, Any], None]:
        def hook(_: nn.Module, __: Any, output: Any) -> None:
            if isinstance(output, Tensor) and output.is_floating_point() and output.ndim in (2, images.ndim):
                seen[name] = output

        return hook

    with ExitStack() as stack, torch.no_grad():
        for name, module in _layers(model):
            stack.callback(module.register_forward_hook(keep(name)).remove)
        result = model(images)
    seen.pop(OUTPUT, None)
    return {**seen, OUTPUT: result}


def _layers(model: nn.Module, name: str = "") -> Iterator[tuple[str, nn.Module]]:
    """Group convolutions, normalisation of sets, and modules without others in them."""
    for part, module in model.named_children():
        whole = isinstance(module, GroupConv | SetBatchNorm) or not any(True for _ in module.children())
        path = f"{name}.{part}" if name else part
        yield from [(path, module)] if whole else _layers(module, path)


def _inner(x: Tensor) -> Tensor:
    """The middle half of the pixels each way."""
    if x.ndim < 3 or min(x.shape[2:]) < 4:
        return x
    for axis, size in enumerate(x.shape[2:], 2):
        x = x.narrow(axis, size // 4, size - 2 * (size // 4))
    return x


def _relative(actual: Tensor, expected: Tensor) -> float:
    if actual.shape != expected.shape:
        return float("inf")
    return float((actual - expected).norm() / expected.norm().clamp_min(torch.finfo(expected.dtype).tiny))


@contextmanager
def _padded(layers: list[GroupConv], padding: str) -> Iterator[None]:
    """Let all layers pad in one way for a while."""
    before = [layer.padding_mode for layer in layers]
    try:
        for layer in layers:
            layer.padding_mode = layer.padding_mode if padding == AS_IT_IS else padding  # type: ignore[assignment]
        yield
    finally:
        for layer, mode in zip(layers, before, strict=True):
            layer.padding_mode = mode
