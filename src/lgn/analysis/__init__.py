"""Numbers about generators: structure, spectrum, Fourier, identifiability, matching, and what chance would give."""

from lgn.analysis.analyze import analyze_matrices
from lgn.analysis.generator import Finding, GeneratorAnalysis, Identifiability, Match, Score
from lgn.analysis.result import Analysis
from lgn.analysis.table import table

__all__ = [
    "Analysis",
    "Finding",
    "GeneratorAnalysis",
    "Identifiability",
    "Match",
    "Score",
    "analyze_matrices",
    "table",
]
