"""What `lgn.symmetries` says of three sets, and how often it is right on what was planted."""

from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Any

from lgn.files import read_json
from lgn.text import markdown_table

#: The sets that README shows the answer of.
ANSWERED = {
    "MNIST": "mnist, upright",
    "MNIST, turned by quarters": "mnist, quarter turns",
    "CIFAR-10, as it is": "cifar10, upright",
}
Cells = list[dict[str, Any]]


def answers(results: Path) -> list[str]:
    """What `lgn.symmetries` says of three sets, and how often it is right on all that were planted."""
    path = results / "symmetry.json"
    if not path.is_file():
        return []
    stored: Cells = read_json(path)["cells"]
    cells = [cell for cell in stored if cell["key"]["part"] == "images"]
    later = [row for cell in stored if cell["key"]["part"] == "later" for row in cell["rows"]]
    rows = []
    for title, name in ANSWERED.items():
        found = [row for cell in cells if cell["key"]["images"] == name for row in cell["rows"]]
        answer = []
        for candidate in ("turn 90", "turn 180", "flip columns", "flip rows"):
            asked = [row for row in found if row["name"] == candidate]
            said = Counter(row["verdict"] for row in asked)
            verdicts = " and ".join(f"{verdict} {count} of {len(asked)}" for verdict, count in said.most_common())
            answer.append(f"{mean(row['told_apart'] for row in asked):.3f}, {verdicts}" if asked else "")
        rows.append([title, *answer])
    known = [row for cell in cells for row in cell["rows"] if row["truth"] in ("kept", "broken")]
    right = sum(row["verdict"] == row["truth"] for row in known)
    kept = sum(row["truth"] == "kept" for row in later)
    seen = sum(row["verdict"] == row["truth"] == "kept" for row in later)
    words = (
        "**Which symmetries do images have?** 10,000 images, how often versions are told apart (0.5: never), and the "
        f"verdict over seeds. Of {len(known):,} verdicts on planted symmetries {right:,} are right, "
        f"{_wrong(known)} wrong, the others undecided. On two sets made after everything was fixed "
        f"{_wrong(later)} of {len(later)} are wrong, and of what is kept {seen} of {kept} are found "
        "([all](docs/symmetry.md))."
    )
    return [words, markdown_table(["", "turn 90", "turn 180", "flip columns", "flip rows"], rows)]


def _wrong(rows: Cells) -> int:
    return sum(row["verdict"] not in (row["truth"], "undecided") for row in rows)
