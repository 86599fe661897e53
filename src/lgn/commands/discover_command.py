"""`lgn discover`: find the symmetries of a data set."""

import webbrowser
from pathlib import Path
from typing import Annotated

import tyro

from lgn import data as sets
from lgn.commands.options import names_of
from lgn.data import Kind
from lgn.data.targets import TargetKind
from lgn.front.ask import discover_or_load


def run(args: list[str]) -> int:
    tyro.cli(_discover, prog="lgn discover", args=args)
    return 0


def _discover(
    data: Annotated[str, tyro.conf.Positional] = "digits",
    target: str | None = None,
    kind: Kind | None = None,
    target_kind: TargetKind | None = None,
    candidates: str | None = None,
    evidence: str | None = None,
    minutes: float | None = None,
    rank: int | None = None,
    window: int | None = None,
    image_size: int | None = None,
    data_dir: Path | None = None,
    device: str | None = None,
    seed: int = 0,
    out: Path | None = None,
    open: bool = False,
) -> None:
    """Find the transformations that preserve the training samples of a data set and, if there are classes, the classes.

    Args:
        data: A named data set (see `lgn data list`), a folder of images or WAV files, an .npz, .csv or .parquet file.
        target: Columns of a .csv or .parquet file that hold the classes, separated by commas.
        kind: images, signals, volumes, tables or points.
        target_kind: classes, for a target of integers in a table.
        candidates: Transformations, separated by commas, such as turns,flips,colour; unknown searches for linear maps.
        evidence: Kinds of evidence, separated by commas: data, labels, network, affine. The default is data and labels.
        minutes: Time limit. With less time, fewer samples are used, and the answer says so.
        rank: Number of whitened directions for linear maps without names.
        window: Cut WAV files into signals of this number of frames.
        image_size: Resize the images of a folder to this side.
        data_dir: Directory of the named data sets. The default is LGN_DATA.
        device: cpu, cuda, mps, or auto: the first of cuda, mps and cpu that is available.
        seed: Seed of the answer.
        out: Directory of the answer. The default is runs/DATA-discover-SEED.
        open: Open the page in a browser.
    """
    out = out or Path("runs") / f"{Path(data).stem}-discover-{seed}"
    loaded = sets.load(
        data,
        data_dir,
        kind=kind,
        target=names_of("target", target) or (),
        target_kind=target_kind,
        image_size=image_size,
        window=window,
        progress=True,
    )
    asked, evident = names_of("candidates", candidates), names_of("evidence", evidence)
    options = {
        "candidates": asked,
        "evidence": evident,
        "minutes": minutes,
        "rank": rank,
        "device": device,
        "seed": seed,
    }
    found = discover_or_load(loaded, out, **options, progress=True)
    page = out / "answer.html"
    found.save(page)
    print(f"{found}\n\npage: {page}")
    if open:
        webbrowser.open(page.resolve().as_uri())
