"""An analysis as a table for people: one row a generator, what was found in the paper's words."""

import math
from collections.abc import Iterable
from typing import Any

from lgn import text
from lgn.actions import size_text
from lgn.analysis import scores
from lgn.analysis.generator import IDENTIFIABLE, WHOLE, GeneratorAnalysis, Match, tensor
from lgn.analysis.result import Analysis

HEAD = ("generator", "findings", "nearest operator", "cosine", "period", "closure", "condition", "dim U")
PICTURES = 60
SHOWN = 3  # findings a row: the clearest; all of them are in the analysis


def table(analysis: Analysis) -> str:
    """One row a generator: its findings, the nearest known operator, period, closure, condition, dim U."""
    head, *rest = text.columns([HEAD, *(row(each, analysis) for each in analysis.generators)])
    return "\n".join([head, "-" * max(map(len, [head, *rest])), *rest, "", *_notes(analysis)])


def html_table(analysis: Analysis) -> str:
    """The same for a notebook, with a picture of each generator; of more than `PICTURES` the first are shown."""
    shown = analysis.generators[:PICTURES]
    rows = [(text.heat_map(tensor(each.matrix)), *row(each, analysis)) for each in shown]
    left = len(analysis.generators) - len(shown)
    more = [f"... and {left} more: print(analysis) shows all."] if left else []
    return text.paragraphs(text.html_table(("", *HEAD), rows), *more, *_notes(analysis))


def columns(analysis: Analysis) -> dict[str, list[Any]]:
    """An analysis by columns, a cell for each generator: who it is, what was found, its spectrum, and every score."""
    records = []
    for each in analysis.generators:
        spectrum, best, about = each.spectrum, each.nearest[0], each.identifiability
        records.append(
            {
                "generator": each.name,
                "layer": each.layer,
                "set": each.set,
                "channel": each.channel,
                "patch": size_text(each.patch),
                "order": each.order,
                "findings": ", ".join(finding.name for finding in each.findings if finding.on == WHOLE),
                "findings on U": ", ".join(finding.name for finding in each.findings if finding.on == IDENTIFIABLE),
                "nearest operator": match_words(best),
                "cosine": best.cosine,
                "adjusted p": best.adjusted_p_value,
                "period": spectrum.period,
                "closure": spectrum.closure_error,
                "condition": spectrum.condition_number,
                "dim U": None if about is None else about.dimension,
                **{score.name: score.score for score in each.scores},
            }
        )
    names = dict.fromkeys(name for record in records for name in record)  # a signal lacks what needs rows and columns
    return {name: [record.get(name) for record in records] for name in names}


def match_words(match: Match) -> str:
    """A match as a phrase: "rotation 90", "pooling 4 then rotation 60"."""
    if match.name == "pooling then rotation":
        return f"pooling {match.keywords['radius']} then rotation {float(match.keywords['degrees']):.3g}"
    parameter = match.parameter
    if isinstance(parameter, tuple):
        return f"{match.name} ({', '.join(f'{value:.3g}' for value in parameter)})"
    if isinstance(parameter, float | int):
        return f"{match.name} {parameter:.3g}"
    return f"{match.name} {parameter}" if parameter is not None else match.name


def row(each: GeneratorAnalysis, analysis: Analysis) -> tuple[str, ...]:
    """The cells of one generator, as `HEAD` calls them."""
    spectrum, about = each.spectrum, each.identifiability
    best = each.nearest[0]
    beyond = best.adjusted_p_value <= analysis.false_discovery_rate
    closure = spectrum.closure_error if spectrum.closure_error is not None else spectrum.period_error
    return (
        each.name,
        _finding_words(each),
        match_words(best) if beyond else "none beyond chance",
        f"{best.cosine:.3f}",
        str(spectrum.period),
        f"{closure:.2g}",
        f"{spectrum.condition_number:.3g}",
        "-" if about is None else f"{about.dimension} of {len(each.matrix)}",
    )


def _finding_words(each: GeneratorAnalysis) -> str:
    words = [
        f"{finding.name} {finding.score:.2f}{' on U' if finding.on == IDENTIFIABLE else ''}"
        for finding in each.findings[:SHOWN]
    ]
    if len(each.findings) > SHOWN:
        words.append(f"and {len(each.findings) - SHOWN} more")
    law = [f"{score.name} by construction" for score in each.scores if score.by_construction]
    law += [f"{case.name} undecided" for case in each.undecided if case.on == WHOLE][:1] if not words else []
    return ", ".join(words + law) or "nothing beyond chance"


def _notes(analysis: Analysis) -> list[str]:
    rate = analysis.false_discovery_rate
    known_order = any(each.order for each in analysis.generators)
    closure = "closure is |A^p - I| for the order p" if known_order else "closure is |A^q - I| for the period q"
    notes = [
        f"Findings at a false-discovery rate of {rate:g} over {analysis.tests} tests against chance: "
        f"{', '.join(analysis.nulls)} (up to {analysis.most_draws:,} draws); {closure}."
    ]
    known = [each.identifiability for each in analysis.generators if each.identifiability is not None]
    if known:
        span = _range(u.dimension for u in known)
        notes.append(
            f"The data speak to {span} of {_range(map(math.prod, analysis.patches))} dimensions of a generator "
            "(U); "
            "what lies off U is start, penalty and the optimiser's path."
        )
    for patch in analysis.patches:
        asked = scores.structures_for(patch)
        if left_out := [each.name for each in scores.STRUCTURES if each not in asked]:
            notes.append(
                f"Not asked of patches of {size_text(patch)}, for want of rows and columns: {', '.join(left_out)}."
            )
    if open_cases := sum(bool(each.undecided) for each in analysis.generators):
        notes.append(
            f"Of {open_cases} generator{'s' if open_cases > 1 else ''} something is undecided: no draw does better, "
            "but a null has too few different draws for so many tests (`.undecided` says which)."
        )
    return notes


def _range(values: Iterable[int]) -> str:
    low, *rest = sorted(values)
    return f"{low} to {rest[-1]}" if rest and rest[-1] > low else str(low)
