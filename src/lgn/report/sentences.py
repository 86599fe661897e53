"""Findings in sentences, for people who would rather read than look up numbers."""

from collections import Counter

from lgn.analysis import Analysis, Finding, GeneratorAnalysis, Match
from lgn.analysis.generator import IDENTIFIABLE, WHOLE
from lgn.analysis.scores import SPECTRAL, STRUCTURES
from lgn.analysis.tables import operator_name

#: More findings than this make a sentence that nobody reads.
MOST = 3
_ORDER = [each.name for each in STRUCTURES]


def sentence(each: GeneratorAnalysis, rate: float) -> str:
    """One generator: "layer 2, set 1: Toeplitz, 0.31 against 0.06 by chance, p < 0.001; nearest operator: ..."."""
    # A structure of the whole and of its identifiable part is one finding to a reader: the whole is named.
    distinct = {finding.name: finding for finding in sorted(each.findings, key=lambda finding: finding.on == WHOLE)}
    named = [finding for finding in each.findings if distinct[finding.name] is finding]
    found = [finding_words(finding) for finding in named[:MOST]]
    if len(named) > MOST:
        found.append(f"and {len(named) - MOST} more")
    words = "; ".join(found) or "nothing beyond chance"
    return f"{each.name}: {words}; {nearest_words(each.nearest, rate)}"


def finding_words(finding: Finding) -> str:
    """`Toeplitz, 0.31 against 0.06 by chance, p < 0.001`: p is corrected for all that was tested."""
    on = " on its identifiable part" if finding.on == IDENTIFIABLE else ""
    against = f"{finding.score:.2f} against {finding.chance:.2f} by chance"
    return f"{finding.name}{on}, {against}, {p_words(finding.adjusted_p_value)}"


def nearest_words(nearest: tuple[Match, ...], rate: float) -> str:
    """The nearest known operator, or that none is nearer than chance."""
    if not nearest or nearest[0].adjusted_p_value > rate:
        return "no known operator is nearer than chance"
    return f"nearest operator: {operator_words(nearest[0])}, cosine {nearest[0].cosine:.2f}"


def operator_words(match: Match) -> str:
    """`pooling 4 then rotation 52 degrees`."""
    return operator_name(match) + (" degrees" if match.name.endswith("rotation") else "")


def p_words(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def overview(analysis: Analysis) -> tuple[str, ...]:
    """What holds over all generators, in a few sentences."""
    generators, count = analysis.generators, len(analysis.generators)
    noun = "generator" if count == 1 else "generators"
    structures = Counter(name for each in generators for name in {f.name for f in each.findings} - SPECTRAL)
    found = sum(bool({finding.name for finding in each.findings} - SPECTRAL) for each in generators)
    spectral = sum(bool({finding.name for finding in each.findings} & SPECTRAL) for each in generators)
    # Of equally common ones the first in the list of structures.
    common = sorted(structures, key=lambda name: (-structures[name], _ORDER.index(name)))[:4]
    listed = ", ".join(f"{name} ({structures[name]})" for name in common)
    sentences = [
        f"{found or 'None'} of {count} {noun} {'has' if found <= 1 else 'have'} a structure beyond chance"
        + (f", most often {listed}." if listed else ".")
        + (f" In {spectral} few directions carry the energy." if spectral else "")
    ]
    near = [each for each in generators if each.nearest[0].adjusted_p_value <= analysis.false_discovery_rate]
    verb = "is" if len(near) <= 1 else "are"
    best = max(near or generators, key=lambda each: each.nearest[0].excess)
    match = best.nearest[0]
    sentences.append(
        f"{len(near) or 'None'} of {count} {verb} nearer to a known operator than chance"
        + (f"; the nearest is {best.name} to {operator_words(match)}, cosine {match.cosine:.2f}." if near else ".")
    )
    sentences.append(
        f"Tested at a false-discovery rate of {analysis.false_discovery_rate:g} over {analysis.tests:,} structures and "
        f"{analysis.match_tests:,} operators, against {_listed(analysis.nulls)}."
    )
    known = [each.identifiability for each in generators if each.identifiability is not None]
    if known:
        dimensions = sorted({about.dimension for about in known})
        span = f"{dimensions[0]}" if len(dimensions) == 1 else f"{dimensions[0]} to {dimensions[-1]}"
        d = analysis.patch[0] * analysis.patch[1]
        sentences.append(
            f"The filters speak to {span} of the {d} dimensions of a generator; the rest is start and path."
        )
    return tuple(sentences)


def _listed(nulls: tuple[str, ...]) -> str:
    meaning = {
        "gaussian": "Gaussian matrices",
        "relabelled": "relabelled pixels",
        "remixed": "its own components re-mixed",
        "matched smoothness": "matrices as smooth as it is",
    }
    words = [meaning.get(null, null) for null in nulls]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
