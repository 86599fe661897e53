"""`lgn analyze`: what generators do, with what chance would give."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import tyro
from tqdm import tqdm

from lgn.analysis import table
from lgn.front import analyze
from lgn.pretrained import find_run, place_for


def run(args: list[str]) -> int:
    tyro.cli(_analyze, prog="lgn analyze", args=args)
    return 0


def _analyze(
    source: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="RUN|FILE")],
    patch: tuple[int, int] | None = None,
    draws: int = 1_000,
    seed: int = 0,
    out: Path | None = None,
) -> None:
    """Say what each generator does, and how likely chance is to give it.

    Args:
        source: a run directory, the name of a network that comes with the package, or an .npy or .npz file of square
            matrices.
        patch: for a file: height and width of the filters that the matrices act on.
        draws: how many draws each null has at first; tests at the floor get more.
        seed: of the draws.
        out: where to write the analysis as JSON (default: analysis.json in the run, or NAME.analysis.json).
    """
    path = Path(source)
    with said_line() as say:
        analysis = analyze(path, patch, draws=draws, seed=seed, progress=say)
    print(table(analysis))
    out = out or (path.with_suffix(".analysis.json") if path.is_file() else place_for(find_run(path), "analysis.json"))
    analysis.to_json(out)
    print(f"analysis: {out}")


@contextmanager
def said_line() -> Iterator[Callable[[str], None]]:
    """A line that says what is being done, and goes when it is done; silent in a log file."""
    with tqdm(bar_format="{desc}", leave=False, disable=None) as line:
        yield line.set_description_str
