"""README.md: the numbers that a visitor looks for first."""

from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Any

from lgn.files import read_json
from studies import truth
from studies.pages.answers import answers
from studies.pages.recovered import recovered
from studies.pages.structures import white_and_all
from studies.pages.trainings import longest
from studies.paper.context import TITLES
from studies.tables import plus_minus

Cells = list[dict[str, Any]]


def readme(results: Path) -> str:
    """The numbers that a visitor looks for first."""
    return "\n\n".join(
        [
            *answers(results),
            *_networks(results),
            *_inspected(results),
            longest(results),
            _counts(results),
            *_structures(results),
            *_truth(results),
            _speed(results),
            recovered(results),
        ]
    )


def _networks(results: Path) -> list[str]:
    """The error of networks that are built on what was found, beside free filters."""
    path = results / "networks.json"
    if not path.is_file():
        return []
    rows = [row for row in read_json(path)["rows"] if (row["data"], row["augmented"]) == ("rotated-mnist", False)]
    by_method = {
        name: [100 * (1 - row["accuracy"]) for row in rows if row["method"] == name and row["images"] == 12_000]
        for name in ("found", "given", "free")
    }
    chosen = "found" if by_method["found"] else "given"
    if not (by_method[chosen] and by_method["free"]):
        return []
    errors = {name: plus_minus(some) for name, some in by_method.items() if some}
    words = (
        f"rotated MNIST, 12,000 images, 25,000 parameters, no augmentation: a test error of {errors[chosen]} % with "
        f"the group {chosen}, {errors['free']} % with free filters ({len(by_method[chosen])} and "
        f"{len(by_method['free'])} seeds)"
    )
    return [f"**Is a network better for it?** `lgn build`: {words} ([all](docs/networks.md))."]


def _inspected(results: Path) -> list[str]:
    """What an inspection calls in banks that were made so, and in banks that were not."""
    path = results / "inspection.json"
    if not path.is_file():
        return []
    cells: Cells = read_json(path)["cells"]
    unrelated = [cell["rate"] for cell in cells if cell["key"]["part"] == "unrelated"]
    planted = [cell["rate"] for cell in cells if cell["key"]["part"] == "orbits" and "at_least" in cell]
    words = (
        f"a group is called in {sum(unrelated):.0f} of {len(unrelated)} unrelated banks of filters, the right one in "
        f"{sum(planted):.0f} of {len(planted)} with planted orbits"
    )
    return [f"**Which groups do trained networks have?** `lgn inspect`: {words} ([networks](docs/inspect.md))."]


def _counts(results: Path) -> str:
    path = results / "claims.json"
    if not path.is_file():
        return "**The paper's claims**: not measured on the full data yet."
    claims = read_json(path)["claims"]
    released = [each["released"] for each in claims if each["released"]]
    words = f"{len(claims)} of them: {_count([each['verdict'] for each in claims])}"
    if released:
        words += f"; with the settings of the authors' code, for {len(released)} of them: {_count(released)}"
    return f"**The paper's claims**, {words} ([each by itself](docs/reproduction.md#verdicts))."


def _count(verdicts: list[str]) -> str:
    counts = Counter(verdicts)
    return ", ".join(f"{name} {counts[name]}" for name in ("holds", "holds in part", "not seen", "not tested"))


def _structures(results: Path) -> list[str]:
    """One structure in one sentence, where it has been measured; the others are on their page."""
    path = results / "structures.json"
    if not path.is_file():
        return []
    words = "; ".join(
        f"{each['data']}, {each['name']} {white_and_all(each['shares']['Toeplitz'])}"
        for each in read_json(path)["samples"]
        if each["name"] in ("`paper`", "`released`", "free networks")
    )
    return [
        "**The paper's structures**: share of generators that are Toeplitz, under nulls without smoothness → under "
        f"those that keep it too: {words} ([what of them is real](docs/structures.md))."
    ]


def _truth(results: Path) -> list[str]:
    """The largest share of false claims, and the smallest of true ones, where they have been measured."""
    path = results / "truth.json"
    if not path.is_file():
        return []
    cells: Cells = read_json(path)["cells"]

    def rates(part: str, kind: str) -> list[float]:
        return [
            row.rate for row in truth.rows([each for each in cells if each["key"]["part"] == part]) if kind in row.bound
        ]

    words = (
        f"of generators without an operator at most {max(rates('matrices', 'limit')):.3f} in any family have a finding "
        f"that depends on place, of untrained networks {mean(rates('models', 'limit')):.3f} have any; of planted "
        f"structures and operators under as much noise at least {min(rates('power', 'at_least')):.3f} are found"
    )
    return [f"**Truth**: {words} ([all](docs/truth.md))."]


def _speed(results: Path) -> str:
    ratios = {
        name: shape["ratio_to_straightforward"] for name, shape in read_json(results / "speed.json")["shapes"].items()
    }
    ways = {"native": "with the compiled kernel", "fast": "in PyTorch alone"}
    words = "; ".join(
        f"{way}, " + " and ".join(f"{ratio[name]:.1f} ({TITLES[data]})" for data, ratio in ratios.items())
        for name, way in ways.items()
        if all(name in ratio for ratio in ratios.values())
    )
    return f"**Speed**, a training step against a straightforward one, times as fast: {words} ([all](docs/speed.md))."
