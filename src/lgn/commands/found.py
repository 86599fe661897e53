"""`--generator found --symmetries RUN`: the symmetry that `lgn discover` found, as the generator of a training."""

import argparse
from pathlib import Path

from lgn.discovery.images import Symmetries
from lgn.training.networks import operators_of


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
    order, group, operators = operators_of(found)
    if not operators:
        raise ValueError(f"symmetries must keep a turn or a flip for generator 'found', in {path} none is kept")
    chosen = ["--order", str(order)] if group is None else ["--group", group]
    words = [word for operator in operators for word in ("--operator", operator)]
    return [*rest, "--generator", "fixed", *chosen, *words]
