"""Learned group actions by their structure: figures 1, 2, 6 and 7, and the picture of all generators."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lgn.analysis import Analysis, GeneratorAnalysis, Score
from lgn.analysis.generator import WHOLE, tensor
from lgn.analysis.scores import STRUCTURES as SCORES
from lgn.report.figures.style import SOFT, caption, columns_for, grid, new_figure, place

if TYPE_CHECKING:
    from matplotlib.figure import Figure, SubFigure

#: The structures of section 5.1, in the order of the paper.
STRUCTURES = ("skew-symmetric", "Toeplitz", "multi-scale")
RULE = "those with the highest score of each structure are shown; a circle marks a score that is no finding"


@dataclass(frozen=True)
class Chosen:
    """A generator and the score for which it was chosen."""

    generator: GeneratorAnalysis
    score: Score
    #: Whether the structure is a finding, at the false-discovery rate of the analysis.
    found: bool

    @property
    def text(self) -> str:
        """The name, and `0.31 (0.06)`: the score and chance, with a circle if the structure is no finding."""
        mark = "" if self.found else "○ "
        return f"{self.generator.name}\n{mark}{self.score.score:.2f} ({self.score.chance:.2f})"


def highest(analysis: Analysis, structure: str, count: int) -> tuple[Chosen, ...]:
    """The `count` generators with the highest score of a structure."""
    if structure not in SCORES:
        raise ValueError(f"structure must be one of {tuple(SCORES)}, got {structure!r}")
    chosen = []
    for generator in analysis.generators:
        score = next(score for score in generator.scores if score.name == SCORES[structure])
        found = any(finding.name == structure and finding.on == WHOLE for finding in generator.findings)
        chosen.append(Chosen(generator, score, found))
    return tuple(sorted(chosen, key=lambda item: -item.score.score)[:count])


def group_actions(analysis: Analysis, data: str, rows: int = 2) -> "Figure":
    """Emerging group structures (figs. 1 and 6): generators with the highest scores, and all generators."""
    rows = min(rows, len(analysis.generators))
    return _by_structure(analysis, f"Learned group actions by structure. Data: {data}.", rows, effect=False)


def effect_on_identity(analysis: Analysis, data: str) -> "Figure":
    """The effect of the generators of figure 1 on the identity (fig. 2), and that of all generators."""
    return _by_structure(analysis, f"The effect of group actions on the identity. Data: {data}.", 1, effect=True)


def reconstruction_actions(analyses: Mapping[str, Analysis]) -> "Figure":
    """Group actions learned for reconstruction (fig. 7): the two most concentrated of each data set, and all."""
    figure = new_figure(11.5, 3.0 * len(analyses) + 0.75)
    bands = figure.subfigures(len(analyses), 1, squeeze=False).flat
    for band, (data, analysis) in zip(bands, analyses.items(), strict=True):
        left, right = band.subfigures(1, 2, squeeze=False).flat
        left.suptitle(data, fontsize=9, color=SOFT)  # one title per matrix would overlap
        for axes, chosen in zip(grid(left, 1, 2), highest(analysis, "concentrated blocks", 2), strict=False):
            place(axes, tensor(chosen.generator.matrix), block=analysis.patch[0], size=10, note=chosen.text)
        _all(right, analysis)
    caption(
        figure,
        f"The most concentrated group actions. Data: {'; '.join(analyses)}. Left: the two generators with the most "
        "energy in a tenth of their blocks, with chance in brackets; a circle marks a score that is no finding. "
        "Right: all generators.",
    )
    return figure


def all_generators(analysis: Analysis, data: str) -> "Figure":
    """All generators with their names and findings, in the order of the network."""
    count = len(analysis.generators)
    columns = columns_for(count, 1.3)
    rows = math.ceil(count / columns)
    figure = new_figure(1.55 * columns + 0.3, 1.85 * rows + 0.7)
    for axes, generator in zip(grid(figure, rows, columns), analysis.generators, strict=False):
        found = list(dict.fromkeys(finding.name for finding in generator.findings))
        note = found[0] + (f" +{len(found) - 1}" if len(found) > 1 else "") if found else "–"
        place(axes, tensor(generator.matrix), generator.name, block=analysis.patch[0], size=7.5, note=note)
    caption(figure, f"All {count} generators with their first findings, each on its own scale. Data: {data}.")
    return figure


def _by_structure(analysis: Analysis, title: str, rows: int, *, effect: bool) -> "Figure":
    """The generators with the highest score of each structure on the left, all generators on the right."""
    figure = new_figure(11.5, 2.5 * rows + 0.9)
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=(1.25, 1)).flat
    axes = grid(left, rows, len(STRUCTURES))
    for column, structure in enumerate(STRUCTURES):
        for row, chosen in enumerate(highest(analysis, structure, rows)):
            generator = chosen.generator
            place(
                axes[row * len(STRUCTURES) + column],
                tensor(generator.effect_on_identity if effect else generator.matrix),
                structure.capitalize() if row == 0 else "",
                block=0 if effect else analysis.patch[0],
                size=10,
                note=chosen.text,
            )
    _all(right, analysis, effect=effect)
    count = len(analysis.generators)
    caption(figure, f"{title} Of {count} generators, {RULE}; chance in brackets. Right: all generators.")
    return figure


def _all(figure: "SubFigure", analysis: Analysis, *, effect: bool = False) -> None:
    """All generators, or their effects on the identity, small and without names."""
    count = len(analysis.generators)
    columns = columns_for(count, 1.2)
    figure.suptitle(f"all {count}", fontsize=9, color=SOFT)
    for axes, generator in zip(grid(figure, math.ceil(count / columns), columns), analysis.generators, strict=False):
        place(axes, tensor(generator.effect_on_identity if effect else generator.matrix))
