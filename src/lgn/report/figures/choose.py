"""The generators that a figure shows: those with the highest score."""

from dataclasses import dataclass

from lgn.analysis import Analysis, GeneratorAnalysis, Score
from lgn.analysis.generator import WHOLE
from lgn.analysis.scores import STRUCTURES

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
    if structure not in STRUCTURES:
        raise ValueError(f"structure must be one of {tuple(STRUCTURES)}, got {structure!r}")
    chosen = []
    for generator in analysis.generators:
        score = next(score for score in generator.scores if score.name == STRUCTURES[structure])
        found = any(finding.name == structure and finding.on == WHOLE for finding in generator.findings)
        chosen.append(Chosen(generator, score, found))
    return tuple(sorted(chosen, key=lambda item: -item.score.score)[:count])
