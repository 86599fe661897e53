"""The paper's figures as functions that return matplotlib figures; `save` writes them."""

from pathlib import Path

from lgn.analysis.generator import tensor
from lgn.report.contents import Contents
from lgn.report.figures.algebra_figures import cayley_graph, circulant_and_diagonal, diagonalisation, filter_sets
from lgn.report.figures.structures import (
    all_generators,
    effect_on_identity,
    group_actions,
    highest,
    reconstruction_actions,
)
from lgn.report.figures.style import FORMATS, save
from lgn.report.figures.unfolded_network import architecture

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
    """Write all figures of one run into a directory.  -> the paths of the files"""
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
    if contents.bases is not None and all(generator.order is not None for generator in analysis.generators):
        figures["filter-sets"] = filter_sets(analysis, contents.bases, data)
    if contents.group is not None:
        figures["cayley"] = cayley_graph(contents.group)
    if contents.network is not None:
        figures["architecture"] = architecture(contents.network)
    return tuple(path for name, figure in figures.items() for path in save(figure, Path(directory) / name, formats))
