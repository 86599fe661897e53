"""Draw docs/images/orbits.png: the orbits of a filter under an invertible and under a singular map.

python tools/make_idea_picture.py
"""

from pathlib import Path

import torch
from matplotlib.figure import Figure

import lgn

PATCH = (9, 9)
OUT = Path(__file__).parents[1] / "docs" / "images" / "orbits.png"


def main() -> None:
    train = lgn.data.load("digits").train
    assert train.labels is not None
    digit = train.samples[train.labels == 7][0, 0, 5:23, 5:23].double()  # a seven has no symmetry
    basis = torch.nn.functional.avg_pool2d(digit[None], 2)[0]
    basis = basis - basis.mean()
    turn = lgn.transforms.operator("rotation", PATCH, degrees=90)
    blurred = lgn.transforms.operator("pooling then rotation", PATCH, radius=3, degrees=60)
    figure = Figure(figsize=(9.5, 3.9), dpi=110, layout="constrained")
    grid = figure.subplots(2, 6, width_ratios=[1.5, 1, 1, 1, 1, 1])
    for row, (name, matrix) in zip(grid, (("rotation 90", turn), ("pooling 3, rotation 60", blurred)), strict=True):
        row[0].imshow(matrix, cmap="PuOr", vmin=-float(matrix.max()), vmax=float(matrix.max()))
        row[0].set_title(f"A: {name}", fontsize=9)
        orbit = lgn.orbit(matrix, basis, 5)
        limit = float(basis.abs().max())
        for power, (axes, element) in enumerate(zip(row[1:], orbit, strict=True)):
            axes.imshow(element, cmap="PuOr", vmin=-limit, vmax=limit)
            title = ("W", "$\\phi(W)$")[power] if power < 2 else f"$\\phi^{power}(W)$"
            axes.set_title(title + (" = W" if power == 4 and torch.allclose(element, basis) else ""), fontsize=9)
        for axes in row:
            axes.set_xticks([])
            axes.set_yticks([])
    OUT.parent.mkdir(exist_ok=True)
    figure.savefig(OUT)


if __name__ == "__main__":
    main()
