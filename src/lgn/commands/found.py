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
    if len(names) != 1:
        said = "no turn or flip is kept" if not names else f"{found.group.name} needs {len(names)} generators"
        raise ValueError(
            f"generator 'found' must be one turn or flip, in {path} {said}; in Python, layers take found.group"
        )
    operator, order = OPERATORS[names[0]]
    return [*rest, "--generator", "fixed", "--operator", operator, "--order", str(order)]
