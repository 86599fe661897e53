"""A network's gain from a symmetry: claimed where it is there, and not where it is not?"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from lgn.discovery.images.gain import FEW, ask_network
from lgn.discovery.images.result import patch_matrix
from studies.cells import Cell
from studies.symmetry.sets import CASES, images_of

JUDGED = 6000
SEEDS = range(20, 25)  # not looked at while it was decided how a gain is judged
#: Image sets, what is asked of them, and whether a network should gain.
ASKED = (
    ("mnist, quarter turns", "turn 90", True),
    ("mnist, flips", "flip columns", True),
    ("mnist, upright", "turn 90", False),
    ("mnist, upright", "flip columns", False),
)


def cells(quick: bool, data_dir: Path | None) -> Iterator[Cell]:
    """Not in a quick run: ten networks a cell."""
    for seed in () if quick else SEEDS:
        for name, candidate, wanted in ASKED:
            key = {"images": name, "candidate": candidate, "seed": seed}
            yield Cell(key, partial(measure, name, candidate, wanted, seed, data_dir))


def measure(name: str, candidate: str, wanted: bool, seed: int, data_dir: Path | None) -> dict[str, Any]:
    """The gain by the strict procedure: judged on images that taught and chose nothing."""
    images, labels = images_of(CASES[name], FEW + JUDGED, seed, data_dir)
    x = (images.float() - images.float().mean()) / images.float().std()
    (x, x_judge), (y, y_judge) = x.split([FEW, JUDGED]), labels.split([FEW, JUDGED])
    order = 4 if candidate == "turn 90" else 2
    gain = ask_network(partial(patch_matrix, candidate), order, (x, y), (x_judge, y_judge), 10, seed)
    return {
        "points": round(gain.points, 3),
        "error": round(gain.error, 3),
        "p_value": gain.p_value,
        "claimed": gain.claimed,
        "accuracy": round(gain.accuracy, 4),
        "free": round(gain.free, 4),
        "wanted": wanted,
    }
