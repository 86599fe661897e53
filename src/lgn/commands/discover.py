"""`lgn discover`: train on the given images and say what was learned."""

import torch

from lgn.commands.train import result_line, train_from
from lgn.generators import generators_of
from lgn.measures import closure_error, condition_number, inverse_error
from lgn.nn import summary
from lgn.training import Run

HELP = """Train a linear group network on images and say what its generators do.

DATA is a named set, a folder of images (with a subfolder per class, or flat), or an .npz file with `images` and
perhaps `labels`; without it, a small set of handwritten digits that comes with the package."""


def run(args: list[str]) -> int:
    found = train_from(args, "lgn discover", HELP)
    if found is None:
        return 130
    describe(found)
    return 0


def describe(found: Run) -> None:
    """Print what a run learned: its result, its parameters, and a line per generator."""
    model = found.model()
    print(result_line(found))
    if found.config.network.generator != "free":
        print(summary(model))
        print(f"{'generator':<24}{'closure':>10}{'condition':>12}{'inverse':>10}")
        for name, generator in generators_of(model).items():
            with torch.no_grad():
                matrix = generator.matrix().flatten(0, 1).double()
            numbers = zip(
                closure_error(matrix, generator.order), condition_number(matrix), inverse_error(matrix), strict=True
            )
            for index, (closure, condition, inverse) in enumerate(numbers):
                label = f"{name.removesuffix('.generator')} {index}"
                print(f"{label:<24}{closure:>10.3g}{condition:>12.3g}{inverse:>10.2g}")
    print(f"run: {found.path}")
