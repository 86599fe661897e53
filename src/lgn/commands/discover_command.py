"""`lgn discover`: find the symmetries of a data set."""

import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import tyro

from lgn import data as sets
from lgn.commands.options import names_of
from lgn.data import Kind
from lgn.data.targets import TargetKind
from lgn.front import discover, store_answer, stored_answer

HELP = """Find the transformations that preserve the training samples of a data set and their classes, if there are any.

The answer is stored as answer.json and answer.html. The same question about the same data reads the stored answer."""


@dataclass(frozen=True)
class DiscoverOptions:
    """The options of `lgn discover`."""

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
    image_size: int | None = None
    """Resize the images of a folder to this side."""
    data_dir: Path | None = None
    """Directory of the named data sets. The default is LGN_DATA."""
    device: str | None = None
    """cpu, cuda, mps, or auto: the first of cuda, mps and cpu that is available."""
    seed: int = 0
    """Seed of the answer."""
    out: Path | None = None
    """Directory of the answer. The default is runs/DATA-discover-SEED."""
    open: bool = False
    """Open the page in a browser."""

    def load(self) -> sets.DataSet:
        """The data set."""
        target = names_of("target", self.target) or ()
        options = {name: getattr(self, name) for name in ("kind", "target_kind", "image_size", "window")}
        return sets.load(self.data, self.data_dir, target=target, **options, progress=True)

    def question(self) -> dict[str, Any]:
        """The arguments of `lgn.discover`."""
        names = {name: names_of(name, getattr(self, name)) for name in ("candidates", "evidence")}
        return names | {name: getattr(self, name) for name in ("minutes", "rank", "device", "seed")}


def run(args: list[str]) -> int:
    options = tyro.cli(DiscoverOptions, prog="lgn discover", description=HELP, args=args)
    out = options.out or Path("runs") / f"{Path(options.data).stem}-discover-{options.seed}"
    data, question = options.load(), options.question()
    found = stored_answer(out, data, question)
    if found is None:
        found = discover(data, **question, progress=True)
        store_answer(found, out, data, question)
    page = out / "answer.html"
    found.save(page)
    print(f"{found}\n\npage: {page}")
    if options.open:
        webbrowser.open(page.resolve().as_uri())
    return 0
