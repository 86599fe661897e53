"""`--generator found --symmetries RUN`: the symmetry that `lgn discover` found, as the generator of a training."""

import argparse
from pathlib import Path

from lgn.symmetry import Symmetries

#: Candidates as operators on patches, and their periods.
OPERATORS = {
    "turn 90": ("rotation 90", 4),
    "turn 180": ("rotation 180", 2),
    "turn 270": ("rotation 270", 4),
    "flip columns": ("reflection columns", 2),
    "flip rows": ("reflection rows", 2),
    "transposition": ("transposition", 2),
    "antitransposition": ("transposition then rotation 180", 2),
}


def with_found(args: list[str]) -> list[str]:
    """The arguments, with a fixed operator in the place of what was found; as they are where nothing is asked for."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--generator")
    parser.add_argument("--symmetries", type=Path)
    if not any(word.split("=")[0] in ("--generator", "--symmetries") for word in args[:-1]):
        return args
    known, rest = parser.parse_known_args(args)
    if known.generator != "found":
        if known.symmetries is not None:
            raise ValueError(f"symmetries must be given with generator 'found', got {known.generator or 'none'!r}")
        return args
    if known.symmetries is None:
        raise ValueError("symmetries must be given with generator 'found': the directory of an `lgn discover`")
    path = known.symmetries / "symmetries.json"
    if not path.is_file():
        raise FileNotFoundError(f"symmetries must be a directory with a symmetries.json, got {known.symmetries}")
    found = Symmetries.load(path)
    names = found.generators_kept
    if not names:
        raise ValueError(f"symmetries must keep a turn or a flip for generator 'found', in {path} none is kept")
    operators, orders = zip(*(OPERATORS[name] for name in names), strict=True)
    # Every subgroup of the symmetries of a square is cyclic, or dihedral with a turn and a flip for generators.
    group = ["--order", str(orders[0])] if len(names) == 1 else ["--group", f"dihedral:{orders[0]}"]
    words = [word for operator in operators for word in ("--operator", operator)]
    return [*rest, "--generator", "fixed", *group, *words]
