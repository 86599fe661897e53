"""`lgn discover`: train on the given images and say what was learned."""

import webbrowser
from dataclasses import dataclass

import torch

from lgn.analysis import Analysis, table
from lgn.analysis.subject import require_patch
from lgn.commands.analyze import said_line
from lgn.commands.options import TrainOptions, parse
from lgn.commands.train import result_line, train_with
from lgn.front import write_report
from lgn.measures import inverse_error
from lgn.nn import summary
from lgn.training import Run

HELP = """Train a linear group network on images and say what its generators do.

DATA is a named set, a folder of images (with a subfolder per class, or flat), or an .npz file with `images` and
perhaps `labels`; without it, a small set of handwritten digits that comes with the package."""


@dataclass(frozen=True)
class DiscoverOptions(TrainOptions):
    """A training, where it goes, and whether its page is shown."""

    open: bool = False
    """Open the page when it is written."""


def run(args: list[str]) -> int:
    options = parse(DiscoverOptions, args, "lgn discover", HELP)
    network = options.settled()[0].network
    if network.generator != "free":
        require_patch((network.kernel_size, network.kernel_size))  # before it is trained for nothing
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
    print(f"\n{table(analysis, _inverse_errors(found, analysis))}\n")
    page = write_report(found)
    print(f"run:  {found.path}")
    print(f"page: {page}")
    if options.open:
        webbrowser.open(page.resolve().as_uri())
    return 0


def _inverse_errors(found: Run, analysis: Analysis) -> dict[str, list[str]]:
    """How well each auxiliary inverse of training inverts its generator, where there are any."""
    inverses = [tensor for name, tensor in found.checkpoint()["penalty"].items() if name.startswith("inverses.")]
    if not inverses:
        return {}
    matrices = torch.tensor([each.matrix for each in analysis.generators], dtype=torch.float64)
    errors = inverse_error(matrices, torch.cat(inverses).double())
    return {"inverse": [f"{error:.2g}" for error in errors.tolist()]}
