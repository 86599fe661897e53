"""How often generators that were planted are found."""

from pathlib import Path
from typing import Any

from lgn.files import read_json
from lgn.text import markdown_table

FOUND = 1e-3  # the relative error at which a planted generator counts as found, as in docs/recovery.md


def recovered(results: Path) -> str:
    cells: list[dict[str, Any]] = read_json(results / "recovery.json")["cells"]

    def share(good: str, **wanted: Any) -> str:
        chosen = [cell for cell in cells if all(cell["key"].get(name) == value for name, value in wanted.items())]
        hits = sum(cell["error"] <= FOUND if good == "error" else cell[good] for cell in chosen)
        return f"{hits} of {len(chosen)}"

    rows = [
        [
            "a generator planted in filters, no noise: found",
            share("error", part="planted", noise=0.0, method="least-squares"),
            share("error", part="planted", noise=0.0, method="paper"),
        ],
        [
            "the same, seen through a maximum: found",
            share("error", part="maximum", method="max-affine"),
            share("error", part="maximum", method="paper"),
        ],
        ["views of images: the right group, or none", share("right_dimension", part="views", method="commutators"), ""],
        [
            "labels, turned images: a symmetry is claimed",
            share("claimed", part="labels", method="affine", task="quarter turns"),
            "",
        ],
        [
            "labels, upright images: a symmetry is claimed",
            share("claimed", part="labels", method="affine", task="upright"),
            "",
        ],
        [
            "images with labels, turned: the quarter turn is learned from random matrices, and claimed",
            share("claimed", part="learned", method="cyclic", starts=6, task="quarter turns"),
            "",
        ],
        [
            "the same, upright: any map is claimed",
            share("claimed", part="learned", method="cyclic", starts=6, task="upright"),
            "",
        ],
    ]
    table = markdown_table(["recovery", "`lgn.discovery`", "the paper's training"], rows)
    return f"{table}\n\nTasks, errors and the cases with noise are in [docs/recovery.md](docs/recovery.md)."
