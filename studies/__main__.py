"""List the studies: `python -m studies`."""

import importlib
from collections.abc import Iterator
from pathlib import Path

from studies.runner import Study


def studies() -> Iterator[Study]:
    """All studies that have a `STUDY`."""
    for path in sorted(Path(__file__).parent.glob("*/__main__.py")):
        module = importlib.import_module(f"studies.{path.parent.name}.__main__")
        if hasattr(module, "STUDY"):
            yield module.STUDY


def main() -> None:
    print(f"{'command':32}{'--quick':>10}{'all':>10}  results (--out)")
    for study in studies():
        quick, full = (f"{minutes:g} min" for minutes in study.minutes)
        print(f"python -m studies.{study.name:15}{quick:>10}{full:>10}  results/{study.result}.json")
    print("python -m studies.paper          the paper's figures and claims")
    print("python -m studies.render         fill the tables of docs/evidence, README.md and results")


if __name__ == "__main__":
    main()
