"""List the studies: `python -m studies`."""

from collections.abc import Iterator

from studies import render
from studies.runner import Study


def studies() -> Iterator[Study]:
    """All studies that have a `STUDY`."""
    for module in render.modules("__main__").values():
        if hasattr(module, "STUDY"):
            yield module.STUDY


def main() -> None:
    print(f"{'command':32}{'--quick':>10}{'all':>10}  results (--out)")
    for study in studies():
        quick, full = (f"{minutes:g} min" for minutes in study.minutes)
        print(f"python -m studies.{study.name:15}{quick:>10}{full:>10}  results/{study.name}.json")
    print("python -m studies.paper          the paper's figures and claims")
    print("python -m studies.render         fill the tables of docs/evidence, README.md and results")


if __name__ == "__main__":
    main()
