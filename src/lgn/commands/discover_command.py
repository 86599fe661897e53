"""`lgn discover`: find the symmetries of a data set."""

import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from lgn import data
from lgn.commands.options import DataDir, Device, ImageSize, names_of, run_directory
from lgn.data import Kind
from lgn.data.targets import TargetKind
from lgn.front import discover, store_answer, stored_answer

#: The options that `lgn.data.load` and `lgn.discover` take.
LOADED = ("data_dir", "kind", "target_kind", "image_size", "window")
ASKED = ("candidates", "evidence", "minutes", "rank", "device", "seed")


@dataclass(frozen=True)
class Options:
    """Find the transformations that preserve the training samples of a data set and their classes, if there are any.

    The answer is stored as answer.json and answer.html. The same question about the same data reads the stored answer.
    """

    data: Annotated[str, tyro.conf.Positional] = "digits"
    """A named data set (see `lgn data list`), a folder of images or WAV files, an .npz, .csv or .parquet file."""
    target: str | None = None
    """Columns of a .csv or .parquet file that hold the classes, separated by commas."""
    kind: Kind | None = None
    """images, signals, volumes, tables or points."""
    target_kind: TargetKind | None = None
    """classes, for a target of integers in a table."""
    candidates: str | None = None
    """Transformations, separated by commas, such as turns,flips,colour; unknown searches for linear maps."""
    evidence: str | None = None
    """Kinds of evidence, separated by commas: data, labels, network, affine. The default is data and labels."""
    minutes: float | None = None
    """Time limit. With less time, fewer samples are used, and the answer says so."""
    rank: int | None = None
    """Number of whitened directions for linear maps without names."""
    window: int | None = None
    """Cut WAV files into signals of this number of frames."""
    image_size: ImageSize = None
    data_dir: DataDir = None
    device: Device | None = None
    seed: int = 0
    """Seed of the answer."""
    out: Path | None = None
    """Directory of the answer. The default is runs/DATA-discover-SEED."""
    open: bool = False
    """Open the page in a browser."""


def run(options: Options) -> None:
    out = options.out or run_directory(options.data, "discover", options.seed)
    loaded, question = ({name: getattr(options, name) for name in names} for names in (LOADED, ASKED))
    samples = data.load(options.data, target=names_of("target", options.target), **loaded, progress=True)
    found = stored_answer(out, samples, question)
    if found is None:
        found = discover(samples, **question, progress=True)
        store_answer(found, out, samples, question)
    page = out / "answer.html"
    found.save(page)
    print(f"{found}\n\npage: {page}")
    if options.open:
        webbrowser.open(page.resolve().as_uri())
