"""Which of many generators a figure shows, by a rule: those with the highest score, marked where it is no finding."""

from dataclasses import dataclass

from lgn.analysis import Analysis, GeneratorAnalysis, Score
from lgn.analysis.generator import WHOLE
from lgn.analysis.scores import STRUCTURES

RULE = "the highest score of each structure is shown, and a circle marks what is no finding"


@dataclass(frozen=True)
class Chosen:
    """A generator with the score that it was chosen for."""

    generator: GeneratorAnalysis
    score: Score
    #: Whether the structure is a finding, at the false-discovery rate of the analysis.
    found: bool

    @property
    def words(self) -> str:
        """Below the name, `0.31 (0.06)`: the score, and chance; a circle in front where it is no finding."""
        mark = "" if self.found else "○ "
        return f"{self.generator.name}\n{mark}{self.score.score:.2f} ({self.score.chance:.2f})"


def highest(analysis: Analysis, structure: str, count: int) -> tuple[Chosen, ...]:
    """The `count` generators with the highest score of a structure; of a joint one its weakest part counts."""
    parts = {each.name: each.scores for each in STRUCTURES}
    if structure not in parts:
        raise ValueError(f"structure must be one of {tuple(parts)}, got {structure!r}")
    chosen = []
    for each in analysis.generators:
        score = min((s for s in each.scores if s.name in parts[structure]), key=lambda s: s.score)
        found = any(finding.name == structure and finding.on == WHOLE for finding in each.findings)
        chosen.append(Chosen(each, score, found))
    return tuple(sorted(chosen, key=lambda each: -each.score.score)[:count])
