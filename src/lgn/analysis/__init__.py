"""The structure of generators: scores, spectra, nearest operators, and tests against null models."""

from lgn.analysis.analyzing import analyze_matrices
from lgn.analysis.generator import Finding, GeneratorAnalysis, Identifiability, Match, Score
from lgn.analysis.result import Analysis

__all__ = [
    "Analysis",
    "Finding",
    "GeneratorAnalysis",
    "Identifiability",
    "Match",
    "Score",
    "analyze_matrices",
]
