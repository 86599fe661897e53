"""The paper's figures, one function each (matplotlib). Each takes plain data and returns a figure; `save` writes it."""

from pathlib import Path

from lgn.analysis.generator import tensor
from lgn.report.contents import Contents
from lgn.report.figures.architecture import architecture
from lgn.report.figures.cayley import cayley_graph
from lgn.report.figures.choose import highest
from lgn.report.figures.filter_sets import filter_sets
from lgn.report.figures.fourier import circulant_and_diagonal, diagonalisation
from lgn.report.figures.structures import (
    all_generators,
    effect_on_identity,
    group_actions,
    reconstruction_actions,
)
from lgn.report.figures.style import FORMATS, save

__all__ = [
    "FORMATS",
    "all_generators",
    "architecture",
    "cayley_graph",
    "circulant_and_diagonal",
    "diagonalisation",
    "effect_on_identity",
    "filter_sets",
    "group_actions",
    "reconstruction_actions",
    "save",
    "write_figures",
]


def write_figures(contents: Contents, directory: str | Path, formats: tuple[str, ...] = FORMATS) -> tuple[Path, ...]:
    """Write every figure that one run can give into a directory; returns the files.

    Figures 3 to 5 need operators learned from pairs, figure 8 needs timings: they are called with those.
    """
    analysis, data = contents.analysis, contents.title
    (nearest,) = highest(analysis, "Toeplitz", 1)
    figures = {
        "group-actions": group_actions(analysis, data),
        "effect-on-identity": effect_on_identity(analysis, data),
        "concentrated-blocks": reconstruction_actions({data: analysis}),
        "generators": all_generators(analysis, data),
        "circulant-and-diagonal": circulant_and_diagonal(analysis.patch[0] * analysis.patch[1]),
        "diagonalisation": diagonalisation(
            tensor(nearest.generator.matrix), analysis.patch, nearest.generator.name, f"{data}, highest Toeplitz score"
        ),
    }
    if contents.bases is not None and all(each.order is not None for each in analysis.generators):
        figures["filter-sets"] = filter_sets(analysis, contents.bases, data)
    if contents.group is not None:
        figures["cayley"] = cayley_graph(contents.group)
    if contents.network is not None:
        figures["architecture"] = architecture(contents.network)
    return tuple(path for name, each in figures.items() for path in save(each, Path(directory) / name, formats))
