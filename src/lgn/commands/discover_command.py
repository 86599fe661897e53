"""`lgn discover`: which symmetries images have, and which of them their labels keep."""

import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro

from lgn.commands.answer import PAGE, answer
from lgn.transforms import CANDIDATES

HELP = """Find the symmetries of a data set, and which of them its labels keep.

DATA is a named set, a folder of images (with a subfolder per class, or flat), a folder of WAV files, an .npz file with
`images`, `signals` or `volumes` and perhaps `labels`, or a .csv file with a signal per row. Without DATA it is a small
set of handwritten digits that comes with the package. `lgn train` trains the paper's network on images."""

EVIDENCE = ("data", "labels", "network", "affine")
ALL_NAMES = tuple(dict.fromkeys(name for names in CANDIDATES.values() for name in names))


@dataclass(frozen=True)
class DiscoverOptions:
    """The options of `lgn discover`."""

    data: Annotated[str, tyro.conf.Positional] = "digits"
    """A named data set, a folder, or a file."""
    evidence: Annotated[str | None, tyro.conf.arg(metavar=",".join(EVIDENCE))] = None
    """What to ask, separated by commas; by default data and, if there are any, labels."""
    candidates: str | None = None
    """Transformations, separated by commas; by default those that fit the data."""
    window: int | None = None
    """Cut WAV files into signals of this number of frames."""
    minutes: float | None = None
    """Time limit: with less time, fewer images are used, and the answer says so."""
    image_size: int | None = None
    """Resize the images of a folder to this side."""
    data_dir: Path | None = None
    """Directory of the named data sets; by default LGN_DATA."""
    seed: int = 0
    """Seed of the answer."""
    out: Path | None = None
    """Directory of the answer; by default runs/DATA-symmetries-SEED."""
    open: bool = False
    """Open the page in a browser."""


def run(args: list[str]) -> int:
    options = tyro.cli(DiscoverOptions, prog="lgn discover", description=HELP, args=args)
    evidence = _words("evidence", options.evidence, EVIDENCE)
    candidates = _words("candidates", options.candidates, ALL_NAMES)
    if options.minutes is not None and options.minutes <= 0:
        raise ValueError(f"minutes must be above 0, got {options.minutes}")
    out = options.out or Path("runs") / f"{Path(options.data).stem}-symmetries-{options.seed}"
    found = answer(
        options.data,
        out,
        candidates=candidates or (),
        evidence=evidence,
        minutes=options.minutes,
        window=options.window,
        image_size=options.image_size,
        data_dir=options.data_dir,
        seed=options.seed,
        progress=True,
    )
    *lines, sentence = str(found).splitlines()
    print("\n".join(lines))
    print(f"page: {out / PAGE}\n\n{sentence}")
    if options.open:
        webbrowser.open((out / PAGE).resolve().as_uri())
    return 0


def _words(name: str, given: str | None, allowed: tuple[str, ...]) -> tuple[str, ...] | None:
    """Words that are separated by commas; None where nothing was given."""
    if given is None:
        return None
    words = tuple(word.strip() for word in given.split(",") if word.strip())
    if unknown := [word for word in words if word not in allowed]:
        raise ValueError(f"{name} must be of {', '.join(allowed)}, got {unknown[0]!r}")
    if not words:
        raise ValueError(f"{name} must name at least one of {', '.join(allowed)}, got none")
    return words
