"""The findings of an analysis in sentences."""

from collections import Counter

from lgn.analysis import Analysis, Finding, GeneratorAnalysis, Match
from lgn.analysis.generator import IDENTIFIABLE, WHOLE
from lgn.analysis.result import operator_name
from lgn.analysis.scores import STRUCTURES

#: The number of findings that a sentence names.
NAMED = 3
_NULLS = {
    "gaussian": "Gaussian matrices",
    "relabelled": "matrices with permuted pixels",
    "remixed": "random mixtures of its own components",
    "matched smoothness": "random matrices of equal smoothness",
}


def sentence(generator: GeneratorAnalysis, rate: float) -> str:
    """One generator: "layer 2, set 1: Toeplitz, 0.31 (chance 0.06), p < 0.001; nearest operator: ..."."""
    # The same structure of the whole matrix and of its identifiable part is one finding, that of the whole matrix.
    ordered = sorted(generator.findings, key=lambda finding: finding.on == WHOLE)
    distinct = {finding.name: finding for finding in ordered}
    named = [finding for finding in generator.findings if distinct[finding.name] is finding]
    parts = [finding_text(finding) for finding in named[:NAMED]]
    if len(named) > NAMED:
        parts.append(f"and {len(named) - NAMED} more")
    nearest = "no known operator is nearer than chance"
    if generator.nearest and generator.nearest[0].adjusted_p_value <= rate:
        nearest = f"nearest operator: {operator_text(generator.nearest[0])}, cosine {generator.nearest[0].cosine:.2f}"
    return f"{generator.name}: {'; '.join(parts) or 'no finding'}; {nearest}"


def finding_text(finding: Finding) -> str:
    """`Toeplitz, 0.31 (chance 0.06), p < 0.001`; p is corrected for all tests."""
    on = " on its identifiable part" if finding.on == IDENTIFIABLE else ""
    p = "p < 0.001" if finding.adjusted_p_value < 0.001 else f"p = {finding.adjusted_p_value:.2g}"
    return f"{finding.name}{on}, {finding.score:.2f} (chance {finding.chance:.2f}), {p}"


def operator_text(match: Match) -> str:
    """`pooling 4 then rotation 52 degrees`."""
    return operator_name(match) + (" degrees" if match.name.endswith("rotation") else "")


def overview(analysis: Analysis) -> tuple[str, ...]:
    """The findings of all generators in a few sentences."""
    generators, count = analysis.generators, len(analysis.generators)
    noun = "generator" if count == 1 else "generators"
    structures = Counter(name for g in generators for name in {finding.name for finding in g.findings})
    found = sum(bool(g.findings) for g in generators)
    common = sorted(structures, key=lambda name: (-structures[name], list(STRUCTURES).index(name)))[:4]
    listed = ", ".join(f"{name} ({structures[name]})" for name in common)
    *others, last = (_NULLS.get(null, null) for null in analysis.nulls)
    against = [", ".join(others), last] if others else [last]
    near = [g for g in generators if g.nearest[0].adjusted_p_value <= analysis.false_discovery_rate]
    sentences = [
        f"{found} of {count} {noun} with a structure beyond chance" + (f", most often {listed}." if listed else "."),
        f"{len(near)} of {count} {noun} nearer to a known operator than chance",
        f"Tested at a false-discovery rate of {analysis.false_discovery_rate:g} over {analysis.tests:,} structures and "
        f"{analysis.match_tests:,} operators, against {' and '.join(against)}.",
    ]
    if near:
        best = max(near, key=lambda g: g.nearest[0].excess)
        sentences[1] += f"; best match: {best.name}, {operator_text(best.nearest[0])}"
        sentences[1] += f", cosine {best.nearest[0].cosine:.2f}"
    sentences[1] += "."
    known = [g.identifiability.dimension for g in generators if g.identifiability is not None]
    if known:
        low, high, d = min(known), max(known), analysis.patch[0] * analysis.patch[1]
        span = f"{low}" if low == high else f"{low} to {high}"
        sentences.append(f"The basis filters determine each generator on {span} of its {d} dimensions.")
    return tuple(sentences)
