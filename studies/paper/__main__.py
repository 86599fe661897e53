"""`python -m studies.paper`: the paper's figures and claims, by name."""

import sys
from pathlib import Path
from typing import Annotated

import tyro

from studies.paper import NAMES, Context, recipe, reproduce


def run(args: list[str]) -> int:
    tyro.cli(_reproduce, prog="python -m studies.paper", args=args)
    return 0


def _reproduce(
    names: Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="NAME ...")] = (),
    quick: bool = False,
    existing: bool = False,
    out: Path = Path("reproduction"),
    data_dir: Path | None = None,
) -> None:
    """Reproduce the paper's figures and claims; without a name, list what there is.

    Work that is done is not done again, and what was stopped continues.

    Args:
        names: recipes by name, or `all`.
        quick: embedded data and few epochs: minutes instead of hours, by the same code.
        existing: train nothing: use the runs that are finished, and leave out what needs others.
        out: where runs, figures and claims are written.
        data_dir: where named data sets lie (or LGN_DATA).
    """
    if not names:
        for name in NAMES:
            print(f"{name:8}{(recipe(name).__doc__ or '').splitlines()[0]}")
        print("\npython -m studies.paper NAME ... [--quick], or: python -m studies.paper all")
        return
    chosen = NAMES if names == ("all",) else names
    written, left_out = reproduce(chosen, Context(out, quick, data_dir, existing))
    for path in written:
        if path.suffix in (".png", ".md"):
            print(path)
    for name, reason in left_out.items():
        print(f"{name} is left out: {reason}")


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
