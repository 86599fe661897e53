"""The paper's controlled experiment (sec. 5.2), and figures of operators, penalties and shares of structures.

Eleven settings: rotations by 30, 45, 60 and 90 degrees, average pooling of radius 3 to 6, and rotation by 60 degrees
after pooling of radius 4 to 6, are learned from pairs of real patches.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from lgn.actions import Patch, vec
from lgn.measures import relative_error
from lgn.report.figures.style import BLUE, INK, ORANGE, SOFT, caption, grid, new_figure, place
from lgn.transforms import operator


@dataclass(frozen=True)
class Setting:
    """One transformation of the experiment: pooling (radius 1 is none), then rotation (0 is none)."""

    radius: int = 1
    degrees: float = 0.0

    @property
    def title(self) -> str:
        pooling, rotation = f"pooling {self.radius}", f"rotation {self.degrees:g}"
        if self.radius == 1:
            return rotation
        return pooling if self.degrees == 0 else f"{pooling} then {rotation}"

    def exact(self, patch: Patch) -> Tensor:
        """Its matrix from the catalogue, (d, d)."""
        return operator("pooling then rotation", patch, radius=self.radius, degrees=self.degrees)


SETTINGS: tuple[Setting, ...] = (
    *(Setting(degrees=degrees) for degrees in (30.0, 45.0, 60.0, 90.0)),
    *(Setting(radius=radius) for radius in (3, 4, 5, 6)),
    *(Setting(radius=radius, degrees=60.0) for radius in (4, 5, 6)),
)


def learned_operators(patches: Tensor, epochs: int = 40, seed: int = 0) -> Tensor:
    """Learn the settings from patches (N, n, m) by gradient descent, as the paper does.  -> (11, d, d)"""
    x = vec(patches.double())
    exact = torch.stack([setting.exact(patches.shape[1:]) for setting in SETTINGS]).double()
    return gradient_descent(x, x @ exact.mT, epochs, seed)


def gradient_descent(x: Tensor, y: Tensor, epochs: int, seed: int = 0, batch_size: int = 250) -> Tensor:
    """Linear layers A with `y = A x`, as the paper learns them: squared error, Adam, the rate halved three times.

    Adam scales entries independently, so S layers side by side learn as S separate ones.

    Shapes: x (N, d), y (S, N, d) -> (S, d, d)
    """
    d, inputs = x.shape[-1], x.float()
    targets = y.float().movedim(0, 1).flatten(1)  # (N, S d)
    random = torch.Generator().manual_seed(seed)
    # A linear layer starts uniform in +-1 / sqrt(d).
    weight = ((2 * torch.rand(targets.shape[1], d, generator=random) - 1) / math.sqrt(d)).requires_grad_()
    optimizer = torch.optim.Adam([weight], lr=0.01)
    milestones = [round(share * epochs) for share in (0.5, 0.75, 0.875)]
    scheduler = torch.optim.lr_scheduler.MultiStepLR(optimizer, milestones, gamma=0.5)
    for _ in range(epochs):
        for batch in torch.randperm(len(inputs), generator=random).split(batch_size):
            loss = (inputs[batch] @ weight.T - targets[batch]).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        scheduler.step()
    return weight.detach().double().unflatten(0, (-1, d))


Sample = Mapping[str, Any]


def plain(axes: Axes, title: str = "") -> None:
    """Axes with thin lines, and a small title."""
    axes.set_title(title, fontsize=9, color=INK)
    axes.tick_params(labelsize=8.5, colors=INK, length=0)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_color("#c9c6be")


def operator_figure(title: str, label: str, learned: Mapping[Setting, Tensor], data: str) -> Figure:
    """Learned operators (d, d) of 6x6 patches above the exact ones, with the distance between them (figs. 3 to 5).

    label: a format of a setting, such as "r = {0.radius}"
    """
    figure = new_figure(2.1 * len(learned) + 0.5, 5.4)
    axes = grid(figure, 2, len(learned))
    for column, (setting, matrix) in enumerate(learned.items()):
        exact = setting.exact((6, 6))
        error = relative_error(matrix.double(), exact)
        name, note = label.format(setting), f"learned, {100 * error:.2g} % off"
        place(axes[column], matrix, name, block=6, size=10, note=note)
        place(axes[len(learned) + column], exact, block=6, size=10, note="exact")
    figure.suptitle(title, fontsize=11, color=SOFT)
    caption(figure, f"Learned group actions (top) and exact ones (bottom). Data: {data}.")
    return figure


def runtime(ratios: Mapping[str, float], data: str) -> Figure:
    """Training time with each penalty (fig. 8), as a multiple of the time without one.

    ratios: {"auxiliary inverse": 1.3, "singular values": 2.0, ...}
    """
    figure = new_figure(6.2, 0.5 * len(ratios) + 1.5)
    axes = figure.subplots()
    names = list(ratios)[::-1]
    bars = axes.barh(names, [ratios[name] for name in names], color=BLUE, height=0.6)
    axes.bar_label(bars, fmt=" %.2f×", fontsize=9, color=INK)
    axes.axvline(1, color=SOFT, linewidth=1, linestyle=(0, (4, 3)))
    axes.set_xlim(0, 1.15 * max(1.0, *ratios.values()))
    axes.set_xlabel("training time, without a penalty = 1", fontsize=9, color=SOFT)
    axes.tick_params(labelsize=9, colors=INK, length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
    caption(figure, f"The effect of the penalty on training time. Data: {data}.")
    return figure


def panels(
    figure: Figure, samples: Sequence[Sample], titles: Sequence[str]
) -> Iterator[tuple[Axes, str, list[Sample]]]:
    """Axes for each data set and title with a row for each sample of the data set, as (axes, title, samples)."""
    by_data: dict[str, list[Sample]] = {}
    for sample in samples:
        by_data.setdefault(sample["data"], []).append(sample)
    heights = [len(rows) for rows in by_data.values()]
    lines = figure.subplots(len(by_data), len(titles), squeeze=False, height_ratios=heights)
    for line, (data, rows) in zip(lines, by_data.items(), strict=True):
        line[0].set_ylabel(data, fontsize=9.5, color=INK, fontweight="bold")
        labels = [f"{row['name'].replace('`', '')} ({row['runs']})" for row in rows]
        for axes, title in zip(line, titles, strict=True):
            plain(axes, title if axes in lines[0] else "")
            axes.set_yticks(range(len(rows)), labels if axes is line[0] else [""] * len(rows))
            axes.set_ylim(len(rows) - 0.4, -0.6)
            yield axes, title, rows
    figure.align_ylabels(lines[:, 0])


def structure_shares(samples: Sequence[Sample], structures: Sequence[str], ways: Sequence[str]) -> Figure:
    """The mean share of generators with each structure, by sample, data set and way of asking.

    samples: mappings with "data", "name", "runs" and "shares": {structure: {way: a share for each run}}
    """
    data = list(dict.fromkeys(sample["data"] for sample in samples))
    figure = new_figure(1.5 * len(structures) + 2.3, 0.26 * len(samples) + 0.3 * len(data) + 1.2)
    for axes, structure, rows in panels(figure, samples, structures):
        _shares(axes, rows, structure, ways)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside upper right", ncols=2, fontsize=9, frameon=False)
    caption(
        figure,
        "The share of generators with a structure, in the whole matrix or on the identifiable subspace. Bars are means "
        "over runs (their number is in brackets), thin lines go from the lowest to the highest run. Dashed: 0.05, the "
        "share of findings that may be false. Planted: the structure is there, in the matrix or in the filters alone. "
        f"Data: {' and '.join(data)}, classification.",
    )
    return figure


def _shares(axes: Axes, samples: Sequence[Sample], structure: str, ways: Sequence[str]) -> None:
    for way, colour, shift in zip(ways, (ORANGE, BLUE), (-0.16, 0.16), strict=True):
        found = {row: sample["shares"].get(structure, {}).get(way) for row, sample in enumerate(samples)}
        rows = [row + shift for row, shares in found.items() if shares]
        values = [shares for shares in found.values() if shares]
        axes.hlines(rows, [min(v) for v in values], [max(v) for v in values], color=colour, linewidth=0.8, alpha=0.6)
        axes.barh(rows, [mean(v) for v in values], height=0.3, color=colour, alpha=0.75, label=way)
    axes.set_xlim(0, 1.02)
    axes.set_xticks([0, 0.5, 1], ["0", "0.5", "1"])
    axes.axvline(0.05, color=SOFT, linewidth=0.6, linestyle=(0, (3, 3)))
