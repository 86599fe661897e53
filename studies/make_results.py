"""Write what was measured into README.md and the pages that tell of it, between their markers.

Only `results` and the networks that come with the package are read.

python tools/make_results.py
"""

from pathlib import Path

from lgn.files import read_json
from lgn.report.figures import save
from studies import groups, inspection, recovery, signals, speed, symmetry, truth, unknown
from studies import networks as built
from studies.pages.readme import readme
from studies.pages.reproduction import verdicts
from studies.pages.structures import structures
from studies.pages.trainings import networks, trainings

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- generated -->", "<!-- end of generated -->"
#: Documents that are made of one measurement alone.
DOCUMENTS = {
    "truth": truth.page,
    "unknown": unknown.page,
    "recovery": recovery.page,
    "learned": recovery.learned_page,
    "groups": groups.page,
    "speed": speed.page,
    "symmetry": symmetry.page,
    "signals": signals.page,
    "networks": built.page,
}


def inspected(results: Path) -> str:
    """What inspected networks have, and how far the inspection can be trusted."""
    study = results / "inspect.json"
    return inspection.page(read_json(results / "inspection.json"), read_json(study) if study.is_file() else None)


def between_markers(text: str, generated: str) -> str:
    """The page with what stands between its markers replaced."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{generated}\n\n{END}{rest.split(END)[1]}"


def pages(root: Path = ROOT) -> dict[Path, str]:
    """Every page with its new content."""
    makers = {
        root / "README.md": readme,
        root / "docs" / "reproduction.md": verdicts,
        root / "docs" / "structures.md": structures,
        root / "docs" / "sharing.md": networks,
        root / "docs" / "inspect.md": inspected,
        root / "results" / "training.md": trainings,
    }
    made = {page: between_markers(page.read_text(), make(root / "results")) for page, make in makers.items()}
    measured = {name: root / "results" / f"{name}.json" for name in DOCUMENTS}
    return made | {
        root / "docs" / f"{name}.md": DOCUMENTS[name](read_json(path))
        for name, path in measured.items()
        if path.is_file()
    }


if __name__ == "__main__":
    for page, text in pages().items():
        page.write_text(text)
    images = ROOT / "docs" / "images"
    if (measured := ROOT / "results" / "networks.json").is_file():
        built.write_curve(read_json(measured)["rows"], images / "networks.png")
    if (measured := ROOT / "results" / "speed.json").is_file():
        save(speed.plot(read_json(measured)), images / "speed", ["svg"])
