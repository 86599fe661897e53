"""The paper's figures and claims, by name.

    python -m studies.paper                             # list the recipes
    python -m studies.paper fig1 claims --quick         # minutes, on bundled digits
    python -m studies.paper all --out results           # days on two cores; finished work is not done again
    python -m studies.paper all --existing --out results  # only from finished runs, 3 min

See docs/evidence/reproduction.md.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from studies.paper.context import Context
from studies.paper.recipes import RECIPES, reproduce


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m studies.paper")
    parser.add_argument("names", nargs="*", metavar="NAME", help="recipes by name, or all; without a name, list them")
    parser.add_argument("--quick", action="store_true", help="bundled data and few epochs: minutes instead of hours")
    parser.add_argument("--existing", action="store_true", help="train nothing: leave out what needs unfinished runs")
    parser.add_argument("--out", type=Path, default=Path("reproduction"), help="directory of runs, figures and claims")
    parser.add_argument("--data-dir", type=Path, help="directory of named data sets (or LGN_DATA)")
    options = parser.parse_args(arguments)
    if not options.names:
        for name, recipe in RECIPES.items():
            print(f"{name:12}{(recipe.__doc__ or '').splitlines()[0]}")
        return
    names = tuple(RECIPES) if options.names == ["all"] else tuple(options.names)
    written, left_out = reproduce(names, Context(options.out, options.quick, options.data_dir, options.existing))
    for path in written:
        if path.suffix in (".png", ".md"):
            print(path)
    for name, reason in left_out.items():
        print(f"{name} is left out: {reason}")


if __name__ == "__main__":
    main()
