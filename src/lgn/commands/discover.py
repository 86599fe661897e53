"""`lgn discover`: which symmetries do these images have, which does their task keep, what does a network learn?"""

import webbrowser
from dataclasses import dataclass
from typing import Annotated

import tyro

from lgn.analysis import table
from lgn.analysis.subject import require_patch
from lgn.commands.analyze import said_line
from lgn.commands.answer import PAGE, answer
from lgn.commands.options import TrainOptions, parse
from lgn.commands.train import result_line, train_with
from lgn.discovery.images import ALL_NAMES, EVIDENCE
from lgn.front import write_report
from lgn.nn import summary

HELP = """Say which symmetries images have, which of them their labels keep, and what a network gains; then train a
linear group network on them and say what its generators do.

DATA is a named set, a folder of images (with a subfolder per class, or flat), or an .npz file with `images` and
perhaps `labels`; without it, a small set of handwritten digits that comes with the package. Of signals (a folder of
WAV files, an .npz file with `signals`) and `volumes` the symmetries alone are said."""


@dataclass(frozen=True)
class DiscoverOptions(TrainOptions):
    """What is asked, a training, where it goes, and whether its page is shown."""

    evidence: Annotated[str | None, tyro.conf.arg(metavar=",".join(EVIDENCE))] = None
    """Ask these alone, and train no network of the paper's; None asks images, labels and a network, and trains one.
    affine: which affine map does a network learn from labels by itself?"""
    candidates: str | None = None
    """Transformations, separated by commas; None is turns, flips and, where there are colours, colour; of signals
    reversal, sign and shift, of volumes turns and mirrors."""
    window: int | None = None
    """Cut WAV files into signals of so many frames."""
    minutes: float | None = None
    """A budget for the answer: with less, fewer images are looked at, for less long; it is said what was given up."""
    paper_alone: Annotated[bool, tyro.conf.arg(name="paper")] = False
    """Train the paper's network alone."""
    open: bool = False
    """Open the page when it is written."""


def run(args: list[str]) -> int:
    options = parse(DiscoverOptions, args, "lgn discover", HELP)
    config, out = options.settled()
    evidence = _words("evidence", options.evidence, EVIDENCE)
    candidates = _words("candidates", options.candidates, ALL_NAMES)
    if options.paper_alone and (evidence or candidates):
        raise ValueError("paper must be given without evidence and candidates, which it leaves out")
    if options.minutes is not None and options.minutes <= 0:
        raise ValueError(f"minutes must be above 0, got {options.minutes}")
    network = config.network
    if evidence is None and network.generator != "free":
        require_patch((network.kernel_size, network.kernel_size))  # before it is trained for nothing
    sentence = None
    if not options.paper_alone:
        with said_line() as say:
            found = answer(config, out, candidates or (), evidence, options.minutes, say, options.window)
        *lines, sentence = str(found).splitlines()
        print("\n".join(lines))
        if evidence is not None or found.kind != "images":  # networks of the paper's are for images
            print(f"page: {out / PAGE}\n\n{sentence}")
            return 0
    status = _train(options)
    if status == 0 and sentence is not None:
        print(f"\n{sentence}")
    return status


def _train(options: DiscoverOptions) -> int:
    """The paper's network, its analysis and the page."""
    found = train_with(options)
    if found is None:
        return 130
    print(result_line(found))
    if found.config.network.generator == "free":
        print("free filters have no generators to analyse")
        print(f"run: {found.path}")
        return 0
    print(summary(found.model()))
    with said_line() as say:
        analysis = found.analysis(progress=say)
    print(f"\n{table(analysis)}\n")
    page = write_report(found)
    print(f"run:  {found.path}")
    print(f"page: {page}")
    if options.open:
        webbrowser.open(page.resolve().as_uri())
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
