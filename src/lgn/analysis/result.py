"""The analysis of all generators of a model, or of any matrices, and its tables: text, HTML, columns of a frame."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lgn import text
from lgn.actions import Patch, size_text
from lgn.analysis import scores
from lgn.analysis.generator import IDENTIFIABLE, WHOLE, GeneratorAnalysis, Match, tensor
from lgn.files import decode, encode, read_json, write_json

HEAD = ("generator", "findings", "nearest operator", "cosine", "period", "closure", "condition", "dim U")
PICTURES = 60  # generators in a table with pictures
SHOWN = 3  # findings in one row


@dataclass(frozen=True, repr=False)
class Analysis:
    """The result of `lgn.analyze`. `print` shows it as a table."""

    generators: tuple[GeneratorAnalysis, ...]
    #: First draws of each null model, and the most draws of any test.
    draws: int
    most_draws: int
    seed: int
    false_discovery_rate: float
    #: Numbers of tests that were corrected together: of structures, and of matches with operators.
    tests: int
    match_tests: int
    nulls: tuple[str, ...]

    @property
    def patches(self) -> tuple[Patch, ...]:
        """The sizes of the patches that generators act on, the smallest first."""
        return tuple(sorted({generator.patch for generator in self.generators}))

    @property
    def patch(self) -> Patch:
        """The size of the patches that all generators act on."""
        if len(self.patches) > 1:
            raise ValueError(f"generators must have one patch, got {self.patches}; use generator.patch")
        return self.patches[0]

    @property
    def order(self) -> int | None:
        """The order of all generators; None if it is not known or differs."""
        orders = {generator.order for generator in self.generators}
        return orders.pop() if len(orders) == 1 else None

    def __repr__(self) -> str:
        sizes = ", ".join(map(size_text, self.patches))
        found = sum(1 for generator in self.generators if generator.findings)
        return f"<Analysis of {len(self.generators)} generators on {sizes} patches, {found} with findings>"

    def __str__(self) -> str:
        head, *rest = text.columns([HEAD, *(row(generator, self) for generator in self.generators)])
        return "\n".join([head, "-" * max(map(len, [head, *rest])), *rest, "", *notes(self)])

    def _repr_html_(self) -> str:
        shown = self.generators[:PICTURES]
        rows = [(text.heat_map(tensor(generator.matrix)), *row(generator, self)) for generator in shown]
        left = len(self.generators) - len(shown)
        more = [f"... and {left} more: print(analysis) shows all."] if left else []
        return text.paragraphs(text.html_table(("", *HEAD), rows), *more, *notes(self))

    def to_frame(self) -> Any:
        """A pandas DataFrame with one row for each generator: findings, spectrum and all scores."""
        try:
            import pandas
        except ImportError:
            raise ValueError("pandas must be installed to make a frame: pip install 'lgn[tables]'") from None
        return pandas.DataFrame(columns(self)).set_index("generator")

    def save(self, path: str | Path) -> None:
        """Write the analysis as JSON, completely or not at all."""
        write_json(Path(path), encode(self), indent=None)

    @classmethod
    def load(cls, path: str | Path) -> "Analysis":
        """Read a file that `save` wrote."""
        return decode(cls, {name: value for name, value in read_json(Path(path)).items() if name != "schema"})


def columns(analysis: Analysis) -> dict[str, list[Any]]:
    """One cell for each generator: its label, findings, nearest operator, spectrum and all scores."""
    records = []
    for generator in analysis.generators:
        spectrum, best, on_u = generator.spectrum, generator.nearest[0], generator.identifiability
        records.append(
            {
                "generator": generator.name,
                "layer": generator.layer,
                "set": generator.set,
                "channel": generator.channel,
                "patch": size_text(generator.patch),
                "order": generator.order,
                "findings": ", ".join(found.name for found in generator.findings if found.on == WHOLE),
                "findings on U": ", ".join(found.name for found in generator.findings if found.on == IDENTIFIABLE),
                "nearest operator": operator_name(best),
                "cosine": best.cosine,
                "adjusted p": best.adjusted_p_value,
                "period": spectrum.period,
                "closure": spectrum.closure_error,
                "condition": spectrum.condition_number,
                "dim U": None if on_u is None else on_u.dimension,
                **{score.name: score.score for score in generator.scores},
            }
        )
    names = dict.fromkeys(name for record in records for name in record)  # signals lack the scores of rows and columns
    return {name: [record.get(name) for record in records] for name in names}


def operator_name(match: Match) -> str:
    """A match as a phrase: "rotation 90", "pooling 4 then rotation 60"."""
    if match.name == "pooling then rotation":
        return f"pooling {match.keywords['radius']} then rotation {float(match.keywords['degrees']):.3g}"
    parameter = match.parameter
    if isinstance(parameter, tuple):
        return f"{match.name} ({', '.join(f'{value:.3g}' for value in parameter)})"
    if isinstance(parameter, float | int):
        return f"{match.name} {parameter:.3g}"
    return f"{match.name} {parameter}" if parameter is not None else match.name


def row(generator: GeneratorAnalysis, analysis: Analysis) -> tuple[str, ...]:
    """The cells of one generator, in the order of `HEAD`."""
    spectrum, on_u = generator.spectrum, generator.identifiability
    best = generator.nearest[0]
    beyond = best.adjusted_p_value <= analysis.false_discovery_rate
    closure = spectrum.closure_error if spectrum.closure_error is not None else spectrum.period_error
    return (
        generator.name,
        _findings(generator),
        operator_name(best) if beyond else "none beyond chance",
        f"{best.cosine:.3f}",
        str(spectrum.period),
        f"{closure:.2g}",
        f"{spectrum.condition_number:.3g}",
        "-" if on_u is None else f"{on_u.dimension} of {len(generator.matrix)}",
    )


def _findings(generator: GeneratorAnalysis) -> str:
    phrases = [
        f"{finding.name} {finding.score:.2f}{' on U' if finding.on == IDENTIFIABLE else ''}"
        for finding in generator.findings[:SHOWN]
    ]
    if len(generator.findings) > SHOWN:
        phrases.append(f"and {len(generator.findings) - SHOWN} more")
    if not phrases:
        phrases += [f"{case.name} undecided" for case in generator.undecided if case.on == WHOLE][:1]
    phrases += [f"{score.name} by construction" for score in generator.scores if score.by_construction]
    return ", ".join(phrases) or "nothing beyond chance"


def notes(analysis: Analysis) -> list[str]:
    """Sentences about the tests, the data and the patches."""
    known_order = any(generator.order for generator in analysis.generators)
    closure = "|A^p - I| for the order p" if known_order else "|A^q - I| for the period q"
    result = [
        f"Findings at a false-discovery rate of {analysis.false_discovery_rate:g} over {analysis.tests} tests against "
        f"the null models {', '.join(analysis.nulls)} (up to {analysis.most_draws:,} draws); closure is {closure}."
    ]
    known = [generator.identifiability.dimension for generator in analysis.generators if generator.identifiability]
    if known:
        whole = _range(map(math.prod, analysis.patches))
        result.append(
            f"The data determine {_range(known)} of {whole} dimensions of a generator (U); the rest is start."
        )
    for patch in analysis.patches:
        asked = scores.structures_for(patch)
        if left_out := [name for name in scores.STRUCTURES if name not in asked]:
            result.append(f"Not tested for {size_text(patch)}, which has no rows and columns: {', '.join(left_out)}.")
    if count := sum(bool(generator.undecided) for generator in analysis.generators):
        result.append(
            f"{count} generator{'s have' if count > 1 else ' has'} undecided structures: no draw exceeds them, but too "
            "few draws differ for this number of tests (see `.undecided`)."
        )
    return result


def _range(values: Iterable[int]) -> str:
    low, *rest = sorted(values)
    return f"{low} to {rest[-1]}" if rest and rest[-1] > low else str(low)
